import assert from "node:assert/strict";
import fc from "fast-check";
import type { Unit } from "../../memory/index/search_index.ts";
import { isAsking } from "../../memory/index/echo.ts";
import { messageUnit, SearchIndex } from "../../memory/index/search_index.ts";
import { Graph } from "../../memory/graph/graph.ts";
import { Recall } from "../../memory/recall/recall.ts";
import { askedTime, fitsTime, saidIn } from "../../memory/recall/when.ts";

const NOW = Date.UTC(2026, 5, 15);
const day = (text: string) => Date.parse(text);

/** A memory of one test, in the process alone. */
class Memory implements Disposable {
  readonly index = new SearchIndex(":memory:");
  readonly graph = new Graph(":memory:", { now: () => NOW });
  readonly recall = new Recall({ index: this.index, graph: this.graph, now: () => NOW });

  document(id: string, text: string, more: Partial<Unit> = {}): void {
    this.index.put({ kind: "document", id, text, at: day("2025-03-01"), ...more });
  }

  fact(subject: string, predicate: string, object: string, options: { sentence?: string; at?: string } = {}): void {
    const { sentence, at = "2025-01-01" } = options;
    this.graph.commit([{ subject, predicate, object }], { at: day(at), ...(sentence !== undefined && { sentence }) });
  }

  texts(query: string): string[] {
    return this.recall.recall(query).hits.map((hit) => hit.text);
  }

  [Symbol.dispose](): void {
    this.index[Symbol.dispose]();
    this.graph[Symbol.dispose]();
  }
}

/** Other things, so that words have a weight. */
function furnished(): Memory {
  const memory = new Memory();
  for (
    const [i, text] of ["阳台的灯坏了", "the boiler was serviced", "周末去爬山", "the kettle is blue", "冰箱里有牛奶"]
      .entries()
  ) {
    memory.document(`n${i}`, text);
  }
  return memory;
}

Deno.test("recall() finds an exact number and not one that it is a part of", () => {
  using memory = furnished();
  memory.document("long", "端口 80241 是打印机");
  memory.document("right", "端口 8024 是相册");
  const { hits, answerable } = memory.recall.recall("８０２４ 端口是谁的");
  assert.equal(hits[0]!.id, "right");
  assert.ok(hits[0]!.why.includes("exact"));
  assert.equal(answerable, true);
});

Deno.test("recall() finds Traditional by Simplified and the other way round", () => {
  using memory = furnished();
  memory.document("t", "備用鑰匙放在樓下鄰居家");
  memory.document("s", "护照放在书房抽屉");
  assert.equal(memory.recall.recall("备用钥匙在哪").hits[0]!.id, "t");
  assert.equal(memory.recall.recall("護照在哪裡").hits[0]!.id, "s");
});

Deno.test("recall() goes from one language to the other without a model", () => {
  using memory = furnished();
  memory.document("zh", "护照放在书房的红色铁盒里");
  memory.document("en", "Winter tyres are stored on rack 17");
  assert.equal(memory.recall.recall("Where are the passports?").hits[0]!.id, "zh");
  assert.equal(memory.recall.recall("冬季轮胎放在哪").hits[0]!.id, "en");
});

Deno.test("recall() puts the current fact before the old one, and the old one first when asked for what was", () => {
  using memory = furnished();
  memory.fact("录像服务", "端口", "5017", { at: "2025-03-02" });
  memory.fact("录像服务", "端口", "5019", { at: "2025-11-28" });
  const now = memory.recall.recall("录像服务用哪个端口");
  assert.match(now.hits[0]!.text, /5019/);
  assert.equal(now.hits[0]!.current, true);
  assert.equal(now.hits.find((hit) => hit.text.includes("5017"))!.current, false);
  assert.match(memory.texts("录像服务以前用哪个端口")[0]!, /5017/);
  assert.match(memory.texts("录像服务2025年四月的端口")[0]!, /5017/);
});

Deno.test("recall() is silent about an unknown attribute of a known thing", () => {
  using memory = furnished();
  memory.fact("Martin Hale", "extension", "5521");
  memory.fact("王小满", "生日", "三月五日");
  memory.document("d", "Martin Hale answers mail faster than calls.");
  assert.equal(memory.recall.recall("What is Martin Hale's extension?").answerable, true);
  for (const query of ["What is Martin Hale's wife called?", "When is Martin Hale's birthday?", "Martin Hale 的血型"]) {
    assert.equal(memory.recall.recall(query).answerable, false, query);
  }
});

Deno.test("recall() is silent about a known attribute of an unknown thing", () => {
  using memory = furnished();
  memory.fact("Jellybox", "端口", "8097");
  assert.equal(memory.recall.recall("Jellybox 的端口").answerable, true);
  assert.equal(memory.recall.recall("Komgarr 的端口是多少").answerable, false);
});

Deno.test("recall() gives no hits at all when nothing has to do with the question", () => {
  using memory = furnished();
  assert.deepEqual(memory.recall.recall("quarterly derivatives strategy"), { answerable: false, hits: [] });
  using empty = new Memory();
  assert.deepEqual(empty.recall.recall("谁"), { answerable: false, hits: [] });
});

Deno.test("recall() joins two facts that share an entity", () => {
  using memory = furnished();
  memory.fact("布丁", "兽医", "徐若谷");
  memory.fact("徐若谷", "休息日", "周三");
  for (let i = 0; i < 20; i++) memory.fact(`店${i}`, "休息日", "周一");
  const texts = memory.texts("布丁的兽医星期几休息").slice(0, 4).join("\n");
  assert.match(texts, /周三/);
  assert.match(texts, /兽医/);
});

Deno.test("recall() brings in the turn that answers, though it repeats no word of the question", () => {
  using memory = furnished();
  for (let i = 0; i < 30; i++) memory.document(`x${i}`, `Ann: nothing much about number ${i}`, { thread: "t1", n: i });
  memory.document("q", "Ben: which instrument do you practise?", { thread: "t2", n: 1 });
  memory.document("a", "Ann: the cello, since last winter", { thread: "t2", n: 2 });
  const ids = memory.recall.recall("Which instrument does Ann practise?").hits.map((hit) => hit.id);
  assert.ok(ids.slice(0, 3).includes("a"), ids.join());
});

Deno.test("recall() only looks: nothing in the index or the graph changes", () => {
  using memory = furnished();
  memory.fact("a", "port", "1");
  memory.recall.sync();
  const dump = () => [memory.index.changes, memory.graph.change];
  const before = dump();
  memory.recall.recall("port of a");
  memory.recall.brief("port of a");
  assert.deepEqual(dump(), before);
});

Deno.test("recall() takes any text and gives scores from 0 to 1 that never rise", () => {
  using memory = furnished();
  memory.fact("a.b/c", "says", `"quoted" AND (NOT`);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), (query) => {
      const scores = memory.recall.recall(query).hits.map((hit) => hit.score);
      for (const [i, score] of scores.entries()) assert.ok(score >= 0 && score <= (scores[i - 1] ?? 1));
    }),
    { numRuns: 200 },
  );
  for (const query of ['"', "NEAR(a b)", "a AND", "'; --", "𠮷野家", "(".repeat(300)]) memory.recall.recall(query);
});

Deno.test("sync() brings in what the graph has, takes out what is gone, and starts over after the index was lost", () => {
  using memory = furnished();
  memory.fact("Bo", "has pet", "Rex");
  assert.equal(memory.texts("Which pet has Bo?").length > 0, true);
  memory.graph.purge("Bo");
  memory.recall.sync();
  assert.equal(memory.index.countOf("relation"), 0);
  memory.fact("Cy", "has pet", "Tom");
  memory.recall.sync();
  memory.index.clear();
  memory.recall.sync();
  assert.equal(memory.index.countOf("relation"), 1);
});

Deno.test("sync() follows a rename: the hit bears the new name", () => {
  using memory = furnished();
  memory.fact("小黑", "IP地址", "10.1.2.3");
  memory.graph.merge("小黑", "迷你主机");
  assert.match(memory.texts("迷你主机的IP地址")[0]!, /^迷你主机/);
});

Deno.test("exclude leaves out what was given already, kinds leaves only what is asked for", () => {
  using memory = furnished();
  memory.document("d", "the spare key is in the blue tin");
  memory.index.put(messageUnit({ id: "m", text: "where is the spare key?", channel: "cli", at: NOW, role: "user" }));
  const all = memory.recall.recall("spare key").hits;
  assert.deepEqual(all.map((hit) => hit.kind).sort(), ["document", "message"]);
  assert.deepEqual(memory.recall.recall("spare key", { exclude: ["d"] }).hits.map((hit) => hit.id), ["m"]);
  assert.deepEqual(memory.recall.recall("spare key", { kinds: ["document"] }).hits.map((hit) => hit.id), ["d"]);
});

Deno.test("removing a unit leaves nothing of it in the index's file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    using index = new SearchIndex(`${folder}/index.db`);
    for (let i = 0; i < 50; i++) index.put({ kind: "document", id: `d${i}`, text: `filler ${i} words`, at: i });
    index.put({ kind: "document", id: "secret", text: "zanzibarquux 密谋者甲 7714", at: 1 });
    index.remove("document", "secret");
    index.settle();
    for (const { name } of Deno.readDirSync(folder)) {
      const bytes = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`));
      for (const part of ["zanzibar", "zanzibarquux", "7714"]) {
        assert.equal(bytes.includes(part), false, `${part} in ${name}`);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("askedTime() reads years, months, seasons and what was before", () => {
  const range = (text: string) => {
    const { range } = askedTime(text, NOW);
    return range && [new Date((range.from + range.to) / 2).toISOString().slice(0, 7), range.isBefore];
  };
  assert.deepEqual(range("2025年三月的电表"), ["2025-03", false]);
  assert.deepEqual(range("the boiler in december 2024"), ["2024-12", false]);
  assert.deepEqual(range("2025年秋天之前的内存"), ["2025-10", true]);
  assert.deepEqual(range("去年的保费"), ["2025-07", false]);
  assert.equal(range("现在的端口"), undefined);
  assert.equal(askedTime("以前的端口", NOW).tense, "past");
  assert.equal(askedTime("现在的端口", NOW).tense, "present");
});

Deno.test("fitsTime() prefers what was written then, or speaks of that year", () => {
  const { range } = askedTime("2024年的假期", NOW);
  const fit = (text: string, at: string) => fitsTime({ text, at: day(at) }, range!);
  assert.ok(fit("去年在海边", "2025-02-01") > fit("在海边", "2025-02-01"));
  assert.ok(fit("在海边", "2024-08-01") > fit("在海边", "2023-08-01"));
  assert.ok(fit("在海边", "2023-08-01") > fit("在海边", "2026-01-01"));
});

/** A turn as it stands after it was said, and after it was archived. */
function turn(memory: Memory, id: string, text: string, options: { role: "user" | "agent"; at: string }): void {
  const { role, at } = options;
  const unit = messageUnit({ id, text, role, channel: "cli", at: day(at) });
  memory.index.put({ ...unit, kind: "document" });
}

Deno.test("what the agent said and what was asked never stands above what was told, and answers nothing", () => {
  using memory = furnished();
  turn(memory, "told", "I keep the sleigh in the barn of Ottersrud.", { role: "user", at: "2025-01-01" });
  for (
    const [i, [role, text]] of ([
      ["user", "where do I keep the sleigh"],
      ["agent", "You keep the sleigh in the garage."],
      ["user", "Tell me where the sleigh is"],
      ["agent", "I don't know where the sleigh's runners are."],
      ["user", "箱子放在哪里"],
    ] as const).entries()
  ) turn(memory, `echo${i}`, text, { role, at: `2025-02-0${i + 1}` });
  for (const query of ["sleigh", "where do I keep the sleigh?", "where is the sleigh"]) {
    const { hits, answerable } = memory.recall.recall(query);
    assert.equal(hits[0]?.id, "told", query);
    assert.equal(answerable, true, query);
    for (const hit of hits.slice(1)) assert.ok(hit.score < 0.3, `${query}: ${hit.text} ${hit.score}`);
  }
  const unknown = memory.recall.recall("Where are the sleigh's runners?");
  assert.equal(unknown.answerable, false);
  assert.deepEqual(memory.recall.brief("sleigh").documents.map(({ id }) => id), ["told"]);
});

Deno.test("a relation and the message it came from are one hit", () => {
  using memory = furnished();
  const sentence = "My name is Margit and I live in Trondheim.";
  memory.fact("user", "is named", "Margit", { sentence, at: "2025-01-01" });
  memory.fact("user", "lives in", "Trondheim", { sentence, at: "2025-01-01" });
  memory.index.put(messageUnit({ id: "m", text: sentence, channel: "cli", at: day("2025-01-01"), role: "user" }));
  memory.fact("user", "lives in", "Bergen", { sentence: "I moved to Bergen.", at: "2025-06-01" });
  memory.index.put(
    messageUnit({ id: "m2", text: "I moved to Bergen.", channel: "cli", at: day("2025-06-01"), role: "user" }),
  );
  memory.fact("Anna", "lives in", "Oslo", { sentence: "Anna lives in Oslo.", at: "2025-08-01" });
  for (const query of ["live", "where do I live", "where does Margit live"]) {
    const { hits } = memory.recall.recall(query);
    assert.deepEqual(hits.filter(({ kind }) => kind === "message"), [], query);
    assert.equal(hits.filter(({ current }) => current === false).length, 1, query);
  }
  assert.match(memory.texts("where do I live")[0]!, /Bergen/);
  assert.match(memory.texts("where does Margit live")[0]!, /Bergen/);
  assert.match(memory.texts("where does Anna live")[0]!, /Oslo/);
});

Deno.test("isAsking() tells questions and requests to be told from what tells something", () => {
  for (
    const text of [
      "where do I live",
      "Tell me what my dentist is called.",
      "我妹妹在哪里工作",
      "告诉我Wi-Fi密码",
      "Is it Anna's?",
    ]
  ) assert.equal(isAsking(text), true, text);
  for (
    const text of [
      "I live in Trondheim.",
      "My dentist is Dr. Lund. What is her number?",
      "我妹妹叫小雨，在南京工作。",
      "Remind me to buy milk",
      "The boiler was serviced in May.",
      "没什么事，今天去了植物园",
      "",
    ]
  ) assert.equal(isAsking(text), false, text);
});

Deno.test("where a time is asked for, the conversation of then comes before others that say the same", () => {
  using memory = furnished();
  for (let month = 0; month < 12; month++) {
    const at = Date.UTC(2025, month, 10);
    memory.document(`m${month}`, "Sam: back at the climbing hall, it felt great", { thread: `t${month}`, n: 1, at });
  }
  const range = askedTime("which hall did sam visit in june 2025", NOW).range!;
  assert.deepEqual([4, 5, 6, 8].map((month) => saidIn(Date.UTC(2025, month, 10), range)), [0, 1, 0.6, 0]);
  assert.equal(memory.recall.recall("Which hall did Sam visit in June 2025?").hits[0]!.id, "m5");
});

Deno.test("names that differ in a number alone are told apart", () => {
  using memory = furnished();
  for (let day = 0; day < 40; day++) memory.fact(`jar of day ${day}`, "is on", `shelf ${day * 3 + 1}`);
  for (const day of [0, 7, 21]) {
    const { hits, answerable } = memory.recall.recall(`On which shelf is the jar of day ${day}?`);
    assert.equal(answerable, true);
    assert.match(hits[0]!.text, new RegExp(`shelf ${day * 3 + 1}\\b`));
  }
  assert.equal(memory.recall.recall("On which shelf is the jar of day 77?").answerable, false);
});

Deno.test("however often something is asked, what was told is found", () => {
  using memory = furnished();
  memory.fact("user", "lives in", "Lyon", { sentence: "I moved to Lyon.", at: "2025-01-01" });
  memory.fact("user", "lives in", "Oslo", { sentence: "I moved to Oslo.", at: "2025-02-01" });
  for (let i = 0; i < 1500; i++) {
    turn(memory, `q${i}`, "Where do I live now?", { role: "user", at: "2025-03-01" });
    turn(memory, `a${i}`, "You live in Lyon.", { role: "agent", at: "2025-03-01" });
  }
  for (const query of ["Where do I live now?", "where do I live"]) {
    const { hits, answerable } = memory.recall.recall(query);
    assert.deepEqual([answerable, hits[0]!.text], [true, "user lives in Oslo. I moved to Oslo."]);
  }
});

Deno.test("an exact string alone answers what it is, and not what nobody told of it", () => {
  using memory = furnished();
  memory.document("host", "小主机叫灶神，地址 10.61.8.9，跑备份");
  memory.document("lamp", "鱼缸的灯管型号 ZT-5012，十一月再换");
  for (const query of ["10.61.8.9 是哪台机器", "ZT-5012 下回几月换", "What is 10.61.8.9?"]) {
    assert.equal(memory.recall.recall(query).answerable, true, query);
  }
  for (const query of ["ZT-5012 多少钱", "ZT-5012 的保修到哪天"]) {
    assert.equal(memory.recall.recall(query).answerable, false, query);
  }
});

Deno.test("two words of one language are one of the other, and a word is met by an equivalent that it is a part of", () => {
  using memory = furnished();
  memory.document("tyres", "小车胎压 2.6 正好");
  memory.document("couplets", "门口的春联写的是潮平两岸阔");
  memory.document("bell", "The doorbell camera keeps clips for twelve days");
  assert.equal(memory.recall.recall("What tyre pressure does the small car need?").hits[0]!.id, "tyres");
  assert.equal(memory.recall.recall("What do the couplets at the door say?").hits[0]!.id, "couplets");
  assert.equal(memory.recall.recall("门铃摄像头的录像留几天").hits[0]!.id, "bell");
});

Deno.test("Chinese is cut into its likeliest words: what is asked is not lost between two others", () => {
  using memory = furnished();
  memory.fact("安安", "运动队", "赛艇队");
  memory.fact("安安", "运动队", "飞盘社");
  memory.document("coach", "前后左右都要看，教练说安安后进步很快");
  const { hits, answerable } = memory.recall.recall("安安前前后后进过哪些运动队");
  assert.equal(answerable, true);
  assert.deepEqual(hits.slice(0, 2).map(({ kind }) => kind), ["relation", "relation"]);
});

Deno.test("a text that tells what the graph knows to be over comes after what took its place", () => {
  using memory = furnished();
  memory.document("shop", "面包房开在石笋巷41号，卸货走后门", { at: day("2024-08-09") });
  memory.fact("面包房", "地址", "石笋巷41号", { at: "2024-08-09" });
  memory.fact("面包房", "地址", "望潮街8号", { at: "2025-09-16" });
  assert.match(memory.texts("面包房现在开在哪里")[0]!, /望潮街8号/);
  assert.match(memory.texts("面包房以前开在哪里")[0]!, /石笋巷41号/);
});

Deno.test("of relatives that own what is asked for it is not asked who they are", () => {
  using memory = furnished();
  memory.document("choir", "Dad's choir sings at the harbour on Mondays");
  memory.fact("Owen", "father", "Gareth");
  assert.equal(memory.recall.recall("Where does Dad's choir sing?").hits[0]!.id, "choir");
  assert.equal(memory.recall.recall("爸爸的合唱团在哪唱").hits[0]!.id, "choir");
});

Deno.test("a day is understood in both languages, with and without its ending", () => {
  const asked = (question: string) => {
    const { range, rest } = askedTime(question, NOW);
    return [
      range && new Date((range.from + range.to) / 2).toISOString().slice(0, 10),
      rest.trim().replace(/\s+/g, " "),
    ];
  };
  assert.deepEqual(asked("what was sam doing on december 4, 2023?"), ["2023-12-04", "what was sam doing ?"]);
  assert.deepEqual(asked("the topic on the 11th of december 2023"), ["2023-12-11", "the topic on the"]);
  assert.deepEqual(asked("2025年12月4日去了哪"), ["2025-12-04", "去了哪"]);
  assert.deepEqual(asked("in may 2023"), ["2023-05-16", ""]);
});
