import { CANONICAL_PREDICATES, canonicalPredicate, type Predicate } from "../predicates.ts";
import { isChineseName } from "./chinese_words.ts";
import { type Entity, isPerson, owner, type Scene } from "./scene.ts";

/** Nouns of people and pets, with what they are, longest first. */
const RELATION_NOUNS: [string, Predicate][] = CANONICAL_PREDICATES
  .filter((p) =>
    p.inverse && !["owns", "owner"].includes(p.id) ||
    ["boss", "teacher", "doctor", "lawyer", "landlord", "helper", "in_law", "uncle", "aunt", "nephew_niece", "relative"]
      .includes(p.id)
  )
  .flatMap((p) =>
    p.forms.zh.filter((form) =>
      !/叫$/.test(form) && !(p.id === "sister" && form.length === 1) &&
      !/^(?:养|养了|女孩|男孩|娘|对象|师傅|师父|会计|中介|同住|一起住|住一起|同组|合租|儿|顾问|组长|头儿|宝贝|楼上|隔壁)$/
        .test(form)
    ).map((form): [string, Predicate] => [form, p])
  )
  .concat(
    CANONICAL_PREDICATES.filter((p) => ["partner", "wife"].includes(p.id)).flatMap((p) =>
      p.id === "partner" ? [["对象", p] as [string, Predicate]] : []
    ),
  )
  .sort((a, b) => b[0].length - a[0].length);

const PERSON_ALIASES: [RegExp, string][] = [[/^(?:大|二|三|小|我)?(?:女儿|闺女)/, "女儿"], [
  /^(?:大|二|三|小)?儿子/,
  "儿子",
]];

/** The relation noun at the start of a text, and what follows it. */
export function leadingRelation(text: string): { predicate: Predicate; noun: string; rest: string } | undefined {
  for (const [alias, noun] of PERSON_ALIASES) {
    const match = alias.exec(text);
    const predicate = match && canonicalPredicate(noun);
    if (match && predicate) return { predicate, noun, rest: text.slice(match[0].length) };
  }
  for (const [noun, predicate] of RELATION_NOUNS) {
    if (text.startsWith(noun)) return { predicate, noun, rest: text.slice(noun.length) };
  }
  // 西班牙语老师, 楼下邻居: a teacher, a neighbour, and which.
  const which =
    /^(\p{Script=Han}{1,5}?(?:语|学|琴|画|舞|球|泳|科|课|楼下|楼上|隔壁|对门|高中|初中|健身|瑜伽|幼儿园))(老师|教练|医生|大夫|邻居|同学)/u
      .exec(text);
  const predicate = which && canonicalPredicate(which[2]!);
  if (which && predicate) return { predicate, noun: which[0], rest: text.slice(which[0].length) };
  return undefined;
}

/** What a noun phrase stands for: the speaker, one of theirs, a named person, a thing or an attribute of one. */
export function chineseSubject(phrase: string, scene: Scene): Entity | undefined {
  const text = phrase.trim().replace(
    /^(?:其实|对了|另外|还有|而且|但是|但|不过|然后|现在|目前|今年|去年|最近|平时|哦|嗯|那个|原来|以后|因为|所以|不对|不是|更正|纠正一下|我是说|我说的是|家里的?|我家的?|我们家的?)+(?=\S)/,
    (lead) =>
      /家/.test(lead) && !/(?:里|家)的?$/.test(lead) ? lead : lead.includes("我") && /家/.test(lead) ? "我" : "",
  );
  if (
    /^(?:我|我们|咱|咱们|俺|本人|我家|我们家|咱家|我自己|我本人|我和家人|我们一家|我们全家|我全家|家里|俺家)$/.test(
      text,
    )
  ) return owner;
  if (/^(?:他|她|它|他们|她们|它们|这孩子|这家伙)$/.test(text)) {
    const { third } = scene;
    return /^[他她]/.test(text) && third?.kind === "named" && third.type === "thing" ? undefined : third;
  }
  if (/.[不没别了在是很也都就还把被给]$|是.|[把将]./.test(text)) return undefined;
  if (
    text === "" || text.length > 16 ||
    /^(?:你|您|你们|这|那|这个|那个|这里|那里|谁|什么|大家|人|有人|没人|今天|明天|昨天|后天|前天|今晚|现在|最近|今年|去年|明年|这些|那些|每天|刚才|下周|上周|周末|早上|晚上|平时|一直|已经|还|也|都|就|从小|从来|天气|外面)$/
      .test(text)
  ) return undefined;
  const together = /^(?:我们?|咱们?)(?:和|跟|与)(.+)$/.exec(text);
  if (together) {
    const other = chineseSubject(together[1]!, scene);
    return other && isPerson(other) ? owner : undefined;
  }
  const their = /^(?:他|她|它)(?:的)?(.+)$/.exec(text);
  if (their) return scene.third && owned(scene.third, their[1]!, scene);
  const mine = /^(?:我们家|我们的|我的|我家的|我家|我们|咱家|咱|俺|我)(?:的)?(.+)$/.exec(text);
  if (mine) return owned(owner, mine[1]!, scene);
  const of = /^(.+?)的(.+)$/.exec(text);
  if (of) {
    const whose = chineseSubject(of[1]!, scene);
    return whose && owned(whose, of[2]!, scene);
  }
  const relation = leadingRelation(text);
  if (relation && relation.predicate.broader !== undefined && relation.noun.length > 1) {
    const found = owned(owner, text, scene);
    if (found.kind !== "named" || found.type === "person") return found;
  }
  if (/^车$/.test(text)) return { kind: "named", name: `我的${text}`, type: "thing" };
  if (isChineseName(text) && !isAttribute(text)) return { kind: "named", name: text, type: "person" };
  const split = splitAttribute(text);
  if (isAttribute(text) && text.length > 1 && !split?.predicate.endsWith("密码")) {
    return attributeOf(ownerHere(scene), text, scene);
  }
  const current = text.replace(/^(?:新的?|现在的?|目前的?)(?=..)/, "");
  if (current !== text && isAttribute(current)) {
    return { kind: "attribute", owner: ownerHere(scene), predicate: current };
  }
  if (/^\p{Script=Han}$|^[\d.,:]+$/u.test(text)) return undefined; // 现, 管: no thing's name
  return split ?? { kind: "named", name: text, type: "thing" };
}

/** Whose a bare 端口 or 生日 is: of what the sentence has just spoken of, else the speaker's. */
function ownerHere(scene: Scene): Entity {
  return scene.topic && scene.facts.some((fact) => fact.sentence === scene.sentence) ? scene.topic : owner;
}

const POSSESSIONS = ["owns", "likes", "dislikes", "skill", "goal", "habit"];

/** Whether a noun names what can be told of something: 电话, not 车 or 妹妹. */
function isAttribute(noun: string): boolean {
  if (/^每/.test(noun)) return false;
  const known = canonicalPredicate(noun);
  return known !== undefined && !POSSESSIONS.includes(known.id) && !RELATION_NOUNS.some(([each]) => each === noun);
}

/** WiFi密码 → the thing and its attribute: the longest known attribute at the end. */
function splitAttribute(text: string): Extract<Entity, { kind: "attribute" }> | undefined {
  for (let from = 1; from < text.length; from++) {
    const attribute = text.slice(from);
    if (attribute.startsWith("的")) continue;
    const known = canonicalPredicate(attribute);
    if (known && attribute.length > 1 && isAttribute(attribute)) {
      const name = text.slice(0, from).replace(/的$/, "");
      return {
        kind: "attribute",
        owner: isChineseName(name) ? { kind: "named", name, type: "person" } : { kind: "named", name, type: "thing" },
        predicate: attribute,
      };
    }
  }
  return undefined;
}

/** Numbers of which one person has several, each with the thing that it belongs to. */
const HOLDERS =
  /^(护照|会员卡?|社保卡?|医保卡?|保单|客户|微信|QQ|座机|信用卡|银行卡|存折)(?:号|号码|账号|帐号|卡号|ID)?$/i;

/** An attribute of someone. What people have several of is kept apart: a passport's number is of 我的护照. */
function attributeOf(whose: Entity, noun: string, scene: Scene): Entity {
  const holder = HOLDERS.exec(noun)?.[1];
  if (holder === undefined || !isPerson(whose)) return { kind: "attribute", owner: whose, predicate: noun };
  const name = whose === owner ? `我的${holder}` : `${scene.nameOf(whose)}的${holder}`;
  return { kind: "attribute", owner: { kind: "named", name, type: "thing" }, predicate: noun, of: whose };
}

function asRelation(whose: Entity, { predicate, noun }: { predicate: Predicate; noun: string }): Entity {
  return { kind: "relation", owner: whose, predicate, noun };
}

function owned(whose: Entity, phrase: string, scene: Scene): Entity {
  const text = phrase.replace(/^(?:现在|以前|新|那个|那只|这只)的?/, "");
  if (/^最?(?:喜欢|爱|喜爱|中意)(?:吃|喝|看|听|玩)?的/.test(text)) {
    return { kind: "attribute", owner: whose, predicate: text.replace(/^最?/, "最") };
  }
  const relation = leadingRelation(text);
  if (relation) {
    if (relation.rest === "") return asRelation(whose, relation);
    if (relation.rest.startsWith("的")) {
      return owned(asRelation(whose, relation), relation.rest.slice(1), scene);
    }
    if (
      isChineseName(relation.rest) && !/^[和跟与]/.test(relation.rest) ||
      /^(?![和跟与刚正又也都就还很太最先再已会能要想在是有没不把被给让去来说打考做买卖搬住吃喝看走回下上])\p{Script=Han}{2}$/u
          .test(relation.rest) &&
        !canonicalPredicate(relation.rest) &&
        !/^(?:今年|现在|去年|最近|已经|刚刚|平时|特别|非常|以前|一直|们|都)$/.test(relation.rest)
    ) {
      const named = scene.introduce(whose, relation.predicate, relation.rest, { noun: relation.noun });
      if (relation.predicate.id === "pet" && /狗|猫|兔|鼠/.test(relation.noun)) {
        scene.say(named, "#species", relation.noun.replace(/^小|咪$/, "").replace("狗狗", "狗"));
      }
      return named;
    }
    const inner = leadingRelation(relation.rest);
    if (inner && inner.noun.length > 1 && (inner.rest === "" || canonicalPredicate(inner.rest))) {
      return owned(asRelation(whose, relation), relation.rest, scene);
    }
    const attribute = canonicalPredicate(relation.rest);
    if (attribute) {
      return {
        kind: "attribute",
        owner: asRelation(whose, relation),
        predicate: relation.rest,
      };
    }
    if (/^(?:今年|现在|去年|最近|已经|刚刚|平时|以前|一直|也|都|刚)$/.test(relation.rest)) {
      return asRelation(whose, relation);
    }
  }
  if (/^(?:今年|现在|去年|最近|已经|刚刚|平时|以前|一直|也|都|刚|其实|目前|前年|从小|家)$/.test(text)) return whose;
  if (isAttribute(text)) return attributeOf(whose, text, scene);
  const thing = whose.kind === "named" && whose.type === "thing";
  if (thing && splitAttribute(text)) return { kind: "attribute", owner: whose, predicate: text };
  const split = splitAttribute(text);
  if (split?.kind === "attribute" && split.owner.kind === "named") {
    const person = split.owner.type === "person" ? split.owner : undefined;
    return person && whose === owner ? split : {
      ...split,
      owner: {
        kind: "named",
        name: whose === owner ? split.owner.name : `${scene.nameOf(whose)}的${split.owner.name}`,
        type: "thing",
      },
    };
  }
  return { kind: "named", name: whose === owner ? `我的${text}` : `${scene.nameOf(whose)}的${text}`, type: "thing" };
}
