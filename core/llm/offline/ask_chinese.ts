import { leadingRelation } from "../../base/facts/chinese_subject.ts";
import { isChineseName } from "../../base/facts/chinese_words.ts";
import { canonicalPredicate, predicateById } from "../../base/predicates.ts";
import type { About, Asked } from "./ask.ts";
import { asksOfThing, attributesIn, type Part, unique, wordsBeside } from "./ask_parts.ts";
import { contentWords } from "./words.ts";

const POLITE =
  /^(?:(?:你好|请问|那|那么|对了|嗨|麻烦|请)[，, ]*)*(?:你?(?:能|可以)?告诉我一?下?|你?(?:还)?(?:知道|记得|知不知道|记不记得)|我忘了|我想知道|提醒我一下|关于|说说|查一下|帮我查一?下?|帮我看看|帮我找一?下?)?[，, ]*/;

const OPEN = /(?:是谁|叫什么|叫啥|什么名字|名字|怎么称呼|叫做什么|谁是|有哪些|有谁)/;
const ABOUT = /(?:的(?:事|情况|信息|资料)|怎么样|如何)[？?。]*$/;

export function chinese(question: string, topic?: About): Asked {
  const allWords = contentWords(question);
  const text = question.replace(/[？?。！!，,\s]+$/, "").replace(POLITE, "").replace(
    /(?<=\p{Script=Han})\s+|\s+(?=\p{Script=Han})/gu,
    "",
  );
  const yesNo = /(?:吗|没有|不)[？?。]*$|是不是|有没有|喜不喜欢|爱不爱|会不会/.test(question) &&
    !/什么|哪|谁|多少|几|怎么|啥/.test(text);
  const reverse = /^(?:我们?家?里?)?(?:有)?谁(?!是我|是他|是她)/.test(text) && !/^谁是/.test(text);
  let about: About | undefined;
  let rest = text;
  const start = /^(?:我们家的?|我家的?|家里的?|我们的?|我的?|咱家?的?|他的?|她的?|它的?)/.exec(text);
  if (start) {
    about = /^[他她它]/.test(start[0]) ? topic : { kind: "owner" };
    rest = text.slice(start[0].length).replace(/^(?:现在|今年|以前)/, "");
    const relation = leadingRelation(rest);
    if (relation && about) {
      about = { kind: "relation", whose: about, predicate: relation.predicate, noun: relation.noun };
      rest = relation.rest;
      const inner = leadingRelation(rest);
      if (inner && inner.noun.length > 1) {
        about = { kind: "relation", whose: about, predicate: inner.predicate, noun: inner.noun };
        rest = inner.rest;
      }
    }
  } else {
    const relation = leadingRelation(text);
    if (relation && relation.noun.length > 1 && relation.predicate.broader) {
      about = { kind: "relation", whose: { kind: "owner" }, predicate: relation.predicate, noun: relation.noun };
      rest = relation.rest;
    } else {
      for (let count = 4; count > 1 && !about; count--) {
        const name = text.slice(0, count);
        if (
          isChineseName(name) &&
          !/[是在叫的有做对不多住几喜今会姓上读穿开养讨哪怎干什身学能可爱想要说吃喝用去]$/.test(name) &&
          text.length > count &&
          /^(?:的|是|叫|在|今|多|几|住|做|喜|对|生|现|什|有|电|老|哪|爱|怎|会|属|穿|开|养|讨|不|姓|身|干|上|读|学|用|说|讲|去|吃|喝)/
            .test(
              text.slice(count),
            )
        ) {
          about = { kind: "named", name };
          rest = text.slice(count);
        }
      }
      const latin = /^([\p{Script=Latin}][\p{Script=Latin} .-]*[\p{Script=Latin}])/u.exec(text);
      const words = (latin?.[1] ?? "").split(" ");
      while (words.length > 1 && canonicalPredicate(words.at(-1)!)) words.pop();
      const name = words.join(" ");
      if (!about && name !== "" && isChineseName(name) && !/^\p{Lu}{2,}$/u.test(name)) {
        about = { kind: "named", name };
        rest = text.slice(name.length);
      }
      const who = /^(?:谁是)(?:我的?)?(.+)$/.exec(text);
      const sought = who && leadingRelation(who[1]!);
      if (sought && sought.rest === "") {
        about = { kind: "relation", whose: { kind: "owner" }, predicate: sought.predicate, noun: sought.noun };
      }
    }
    if (about?.kind === "relation") {
      const nested = /^的?(.+)$/.exec(rest);
      const inner = nested && leadingRelation(nested[1]!);
      if (inner && rest.startsWith("的")) {
        about = { kind: "relation", whose: about, predicate: inner.predicate, noun: inner.noun };
        rest = inner.rest;
      }
    }
  }
  about ??= /我/.test(text) ? { kind: "owner" } : { kind: "thing" };
  let attributes = attributesIn(rest);
  const favourite = /最(?:喜欢|爱|喜爱)(?:的|什么|哪个|哪种|吃什么|喝什么)?(\p{Script=Han}*)/u.exec(text);
  if (favourite) {
    const kind = favourite[1]!.replace(/(?:是|有).*$/, "").replace(/^(?:什么|的)/, "");
    const known = kind === "" ? undefined : canonicalPredicate(`最喜欢的${kind}`);
    attributes = [known ?? predicateById("favourite")];
  }
  const where = /在哪(?:个|家|所|座)(\p{Script=Han}{1,4})/u.exec(text)?.[1];
  if (
    where && about.kind !== "thing" && !attributes.some(({ id }) => ["works_at", "school", "lives_in"].includes(id))
  ) {
    attributes = (/城|市|区|省|国|镇|村/.test(where) ? ["lives_in"] : ["works_at", "school", "located_in"]).map(
      predicateById,
    );
  }
  if (/不(?:太)?(?:喜欢|爱)|讨厌|不吃|不喝/.test(text)) attributes = [predicateById("dislikes")];
  if (about.kind === "relation") {
    const others = attributes.filter((predicate) => !["name", "nickname", "species", "surname"].includes(predicate.id));
    const asksName = OPEN.test(rest) || rest === "" || /^谁是/.test(text);
    if (asksName && others.length === 0 && !asksOfThing(text, about)) {
      return done({ about: about.whose, attributes: [about.predicate], noun: about.noun });
    }
    attributes = others.length > 0 ? others : attributes;
  }
  if (about.kind === "named" && ABOUT.test(rest)) attributes = [];
  if (about.kind === "owner" && /^是谁$|^叫什么|^是什么人$/.test(rest)) attributes = [predicateById("name")];
  if (
    about.kind === "owner" && /有(?:几|多少|哪些|什么)/.test(rest) && attributes.every(({ id }) => id === "quantity")
  ) {
    attributes = [predicateById("owns")];
  }
  if (/会(?!说|讲).{0,2}(?:什么|哪些)/.test(rest) && attributes.length === 0) attributes = [predicateById("skill")];
  const called = /^(?:那只|这只|家里的?)?(\p{Script=Han}{1,4}?)(?:的名字)?(?:叫|是)(?:什么|啥)(?:名字)?$/u.exec(rest)
    ?.[1];
  if (about.kind === "owner" && called && !canonicalPredicate(called) && attributes.every(({ id }) => id === "name")) {
    return done({ about, attributes: [predicateById("name"), predicateById("pet")], noun: called });
  }
  if (about.kind === "owner" && /养|宠物/.test(rest)) attributes = [predicateById("pet")];
  const had = /(?:有(?:没有)?|养(?:了|着)?)(?:一?(?:只|条|个|位))?(\p{Script=Han}{1,4}?)(?:吗|没有|么|呢)?$/u.exec(rest)
    ?.[1];
  const kin = yesNo && had !== undefined ? leadingRelation(had) : undefined;
  if (kin?.rest === "" && about.kind === "owner") return done({ about, attributes: [kin.predicate], noun: kin.noun });
  return done({ about, attributes });

  function done(part: Part): Asked {
    return {
      question,
      language: "zh",
      yesNo,
      reverse,
      allWords,
      words: wordsBeside(rest, part),
      about: part.about,
      attributes: unique(part.attributes),
      open: /(?:知道|记得|了解|记住).{0,4}(?:我|我家|我们)(?:的)?(?:什么|哪些|多少|事)|关于我/.test(question),
      past: /以前|之前|原来|原先|过去|曾经|从前/.test(text),
      count: /几|多少(?!钱|岁|号)/.test(text) && /有(?:几|多少)|几(?:个|只|条|辆|台|位|匹|本|间|套|口)/.test(text),
      ...(part.noun === undefined ? {} : { noun: part.noun }),
    };
  }
}
