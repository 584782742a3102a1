import assert from "node:assert/strict";
import fc from "fast-check";
import { extractFacts, moodOf, splitSentences, understand } from "../../../../core/base/facts/mod.ts";
import { fence } from "../../../../core/llm/fence.ts";
import { missed, readTold } from "./told.ts";

const short = (text: string) =>
  extractFacts(text).map(({ subject, id, predicate, object }) => `${subject}|${id ?? predicate}|${object}`);

for (const name of ["told_first.txt", "told_second.txt", "told_last.txt"]) {
  Deno.test(`sentences of ${name} teach their facts and no others, at least 85 of 100`, async () => {
    const told = await readTold(name);
    assert.ok(told.length >= 60);
    const misses = told.map((each) => ({ ...each, missing: missed(each) })).filter(({ missing }) => missing.length > 0);
    const share = 1 - misses.length / told.length;
    const list = misses.map(({ sentence, missing }) => `  ${sentence}\n    ${missing.join("; ")}`).join("\n");
    console.log(`${name}: ${told.length - misses.length} of ${told.length}${list && `\n${list}`}`);
    assert.ok(share >= 0.85, `only ${Math.round(share * 100)} % were understood`);
  });
}

Deno.test("the owner is one subject in both languages", () => {
  assert.deepEqual(short("I live in Lisbon."), ["user|lives_in|Lisbon"]);
  assert.deepEqual(short("我住在里斯本。"), ["user|lives_in|里斯本"]);
});

Deno.test("a person who gets a name in the message is called by it in all of its facts", () => {
  assert.deepEqual(short("我儿子今年五岁，叫小虎。"), ["小虎|age|5岁", "user|son|小虎"]);
});

Deno.test("a pronoun means whom the message has just spoken of, or whom the caller names, never the owner", () => {
  assert.deepEqual(short("I'm Bo. My aunt Rosa is a chef. She lives in Bari.").at(-1), "Rosa|lives_in|Bari");
  assert.deepEqual(short("I'm Bo. She is 12."), ["user|name|Bo"]);
  const { facts } = understand("她今年八岁。", { topic: "朵朵" });
  assert.deepEqual(facts.map(({ subject, object }) => [subject, object]), [["朵朵", "8岁"]]);
});

Deno.test("what is fenced, quoted or in a code block is nobody's own statement", () => {
  assert.deepEqual(short(fence("memory_recall", "I live in Rome. 我叫王五。")), []);
  assert.deepEqual(short("> I live in Rome\n> 我叫王五"), []);
  assert.deepEqual(short("```\nMy name is Eve.\n```"), []);
});

Deno.test("remember: the sentence is kept without the asking, and its facts are learned", () => {
  assert.deepEqual(understand("Please remember that bins go out on Tuesday.").remember, ["bins go out on Tuesday"]);
  assert.deepEqual(understand("请记住，周二倒垃圾。").remember, ["周二倒垃圾"]);
  assert.deepEqual(understand("Remember to call Ann.").remember, []);
  assert.deepEqual(understand("Do you remember my name?").remember, []);
});

Deno.test("moodOf() tells tellings from questions, requests, hypotheses and reports", () => {
  assert.equal(moodOf("I live in Rome.", "en"), "telling");
  assert.equal(moodOf("where do i live", "en"), "question");
  assert.equal(moodOf("If I lived in Rome, I'd be warm.", "en"), "unreal");
  assert.equal(moodOf("He said he lives in Rome.", "en"), "reported");
  assert.equal(moodOf("我住在哪儿", "zh"), "question");
  assert.equal(moodOf("要是我住在罗马就好了", "zh"), "unreal");
});

Deno.test("splitSentences() does not end a sentence at an abbreviation, a number or an address", () => {
  assert.deepEqual(splitSentences("My dentist is Dr. Varga. He is kind."), ["My dentist is Dr. Varga.", "He is kind."]);
  assert.deepEqual(splitSentences("The NAS is 10.0.0.1, v2.5. 端口5000。"), [
    "The NAS is 10.0.0.1, v2.5.",
    "端口5000。",
  ]);
});

Deno.test("everyday sentences that only look like facts about someone teach nothing", () => {
  const sentences = [
    "My head hurts.",
    "I'm a bit busy today.",
    "I have two meetings today.",
    "I got the email.",
    "My phone is dead.",
    "I live in a small flat.",
    "My son is sick.",
    "I'm 100% sure.",
    "我叫了外卖。",
    "我叫小李去买菜。",
    "我开车去上班。",
    "我有一个想法。",
    "我在学校。",
    "我住院了。",
    "手机在充电。",
    "老师叫我去办公室。",
    "The film was great.",
    "I was late today.",
    "The bus is never on time.",
    "My head is killing me.",
    "I'm going to the shops.",
    "My back is in a terrible state.",
    "The weather is nice in May.",
    "My day was a disaster.",
    "I had a good time.",
    "She is so nice.",
    "It was fun while it lasted.",
    "I'm at home now.",
    "We had pizza for dinner.",
    "I lost my temper.",
    "I lost.",
    "I lost ten kilos.",
    "I gave up.",
    "He died laughing.",
    "I'm dying to see it.",
    "The game ended in a draw.",
    "I broke a glass.",
    "You are the best.",
    "Tell me something.",
    "My boss is annoying.",
    "My daughter is five minutes late.",
    "I like it.",
    "I love you.",
    "I don't know.",
    "I don't care.",
    "I don't like this any more.",
    "That was not what I meant.",
    "No, thanks.",
    "No, I'm fine.",
    "Sorry, I was busy.",
    "I mean it.",
    "He said my name is Bob.",
    "My friend told me that Paris is lovely.",
    "Maybe I live on Mars.",
    "Imagine I had a yacht.",
    "In my dream I was the king of Spain.",
    "I wish my name was Max.",
    "What if I moved to Rome?",
    "The book says that cats have nine lives.",
    '"My name is Eve" is a quote.',
    "Is my name Bob?",
    "Do I have a sister called Anna?",
    "Am I allergic to nuts?",
    "我今天很开心",
    "今天吃了火锅",
    "我在等公交",
    "我妈在做饭",
    "他说他叫王五",
    "要不要去看电影",
    "我觉得北京很大",
    "我差点买了一辆车",
    "我要是住在巴黎就好了",
    "你住在哪里？",
    "我是不是叫小明？",
    "我喜欢你",
    "我讨厌下雨天上班吗",
    "书里说主角住在伦敦",
    "小明的爸爸叫什么？",
    "不用了",
    "不对",
    "不是",
    "没关系",
    "算了吧",
    "我走了",
    "我累了",
    "我饿了",
    "我不知道",
    "我不想去了",
    "我不去了",
    "好久不见了",
    "我没事了",
    "钱花光了",
    "手机没电了",
    "车没油了",
    "天黑了",
    "下雨了",
    "我买了点菜",
    "我有点累",
    "我有一个问题",
    "他走了",
  ];
  for (const sentence of sentences) assert.deepEqual(short(sentence), [], sentence);
});

Deno.test("the floor one lives on is not where one lives", () => {
  assert.deepEqual(short("我住三楼。"), ["user|floor|三楼"]);
  assert.deepEqual(short("I live on the third floor."), ["user|floor|the third floor"]);
});

Deno.test("where a name should be and is none, nothing is learned", () => {
  assert.deepEqual(extractFacts("的 我 住 I").filter((fact) => fact.subject === "" || fact.object === ""), []);
});

const ended = (text: string) =>
  understand(text).endings.map(({ subject, ids, object }) => `${subject ?? "?"}|${ids.join(",")}|${object ?? "*"}`);

Deno.test("what is over ends what the positive would have stated, and states nothing by itself", () => {
  const cases: [text: string, ended: string][] = [
    ["I no longer work at Shell.", "user|works_at|Shell"],
    ["I don't play tennis any more.", "user|hobby|tennis"],
    ["She no longer likes olives.", ""],
    ["I stopped playing the guitar.", "user|hobby|the guitar"],
    ["我不在腾讯工作了。", "user|works_at|腾讯"],
    ["我不养猫了。", "user|pet|猫"],
    ["我们没有车了。", "user||车"],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual(ended(text), expected === "" ? [] : [expected], text);
    assert.deepEqual(short(text), [], text);
  }
});

Deno.test("things that are sold, people who part, jobs that are left", () => {
  assert.deepEqual(ended("We sold the Fiat."), ["user|owns,pet,model|Fiat"]);
  assert.deepEqual(ended("我把丰田卖了。"), ["user|owns,pet,model|丰田"]);
  assert.deepEqual(ended("Lea and I broke up."), ["user|partner,spouse,wife,husband|Lea"]);
  assert.deepEqual(ended("我和小丽分手了。"), ["user|partner,spouse,wife,husband|小丽"]);
  assert.deepEqual(ended("I quit my job."), ["user|job|*", "user|works_at|*"]);
  assert.deepEqual(ended("我辞职了。"), ["user|job|*", "user|works_at|*"]);
  for (const text of ["I lost.", "今天累死了。", "笑死我了。", "卖萌了。"]) assert.deepEqual(ended(text), [], text);
});

Deno.test("a correction replaces what was told before, by its like", () => {
  const previous = understand("The NAS listens on port 5001. My aunt is called Mary.").facts;
  const corrected = (text: string) =>
    understand(text, { previous }).facts.map(({ subject, object }) => `${subject}: ${object}`);
  assert.deepEqual(corrected("No, it's 5002."), ["NAS: 5002"]);
  assert.deepEqual(corrected("It's Maria, not Mary."), ["user: Maria"]);
  assert.deepEqual(corrected("不对，是5003。"), ["NAS: 5003"]);
  for (const text of ["No.", "No sugar.", "It's 5002.", "No, I don't think so.", "不对。", "Sorry!"]) {
    assert.deepEqual(corrected(text), [], text);
  }
});

Deno.test("a telling may end with a word to the listener, a question may not become one by it", () => {
  assert.deepEqual(short("我喜欢喝茶，你知道吗"), ["user|likes|茶"]);
  assert.deepEqual(short("I like tea, did you know?"), ["user|likes|tea"]);
  assert.deepEqual(short("Did you know that I moved to Rome?"), ["user|lives_in|Rome"]);
  for (
    const text of [
      "我喜欢什么，你知道吗？",
      "你知道我喜欢茶吗？",
      "Do you know where I live?",
      "I live in Rome, right?",
    ]
  ) {
    assert.deepEqual(short(text), [], text);
  }
});

Deno.test("Traditional characters and full-width digits are understood, and names stay as they were written", () => {
  assert.deepEqual(short("我媽媽住在臺北。"), ["我妈妈|lives_in|臺北"]);
  assert.deepEqual(short("我的電話是１３８００００１２３４。"), ["user|phone|13800001234"]);
  assert.equal(extractFacts("我媽媽住在臺北。")[0]!.sentence, "我媽媽住在臺北。");
});

Deno.test("any text is read without failing, and every fact comes from one of its sentences", () => {
  const word = fc.constantFrom(
    "I",
    "my",
    "sister",
    "Anna",
    "is",
    "a",
    "doctor",
    "and",
    ",",
    ".",
    "我",
    "叫",
    "在",
    "喜欢",
    "的",
    "，",
    "。",
    "住",
    "not",
    "if",
    "12",
    "岁",
    "\n",
    "called",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 4 })), { maxLength: 40 }), (words) => {
      const text = words.join(" ");
      for (const fact of extractFacts(text)) {
        assert.ok(text.includes(fact.sentence) && fact.object !== "" && fact.subject !== "");
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("a pasted text without an end is read in bounded work", () => {
  assert.deepEqual(extractFacts("my ".repeat(5000)), []);
  assert.deepEqual(extractFacts("我的".repeat(5000)), []);
  assert.deepEqual(extractFacts("I like, ".repeat(3000)), []);
});
