import { chineseSubject, leadingRelation } from "./chinese_subject.ts";
import { chineseList, cleanChinese, isChineseName } from "./chinese_words.ts";
import { type Entity, isPerson, owner, type Scene, type Tell } from "./scene.ts";

const WHEN = "(?:已经|刚刚?|最近|昨天|前天|今天|上周|上个?月|去年|今年|前年|早就|终于|不久前|\\d+月|.月份?)*";
const NOT_NOW = new RegExp(
  `^(.{0,12}?)${WHEN}(?:现在)?(?:再也不|不再|不|没有?|戒)(?!是|会儿|知道|好意思|见|管|舒服|行|错|久)(.+?)了$`,
);
const NEVER_AGAIN = new RegExp(`^(.{0,12}?)${WHEN}(?:再也不|不再)(.+)$`);
const GONE_OBJECT = new RegExp(
  `^(.{0,8}?)${WHEN}(?:把|将)(.+?)(?:都|也|给)?(?:卖|扔|丢|送|退|捐|报废|处理|弄丢|换)(?:掉|走|了|给.*|人|出去)+$`,
);
const GONE_VERB = new RegExp(`^(.{0,8}?)${WHEN}(?:卖|扔|丢|送|弄丢|退|捐)(?:掉了?|了|走了|出去了)(?!钱)(.+)$`);
const IS_GONE = new RegExp(
  `^(.{1,14}?)(?:也|都|已经|被|给|被人)*${WHEN}(?:卖|扔|丢|送人|报废|偷|弄丢|处理)(?:掉|走|给.*)?了$`,
);
const SWAPPED = new RegExp(`^(.{0,8}?)${WHEN}(?:把|将)(.+?)(?:换成|换了|换为)了?(?:一(?:辆|台|部|个|只))?(.+)$`);
const DIED =
  /^(.+?)(?:在|于)?((?:\d{4}年|今年|去年|前年|上个?月|上周|昨天|\d+月)\S*?)?(?:因病|不幸|已经|刚)*(?:去世|过世|病逝|离世|走丢|死)(?:了|的)?$/;
const APART =
  /^(?:我|我们)?(?:已经|刚|最近|上个?月|去年|今年)*(?:(?:和|跟|与)(.+?))?(?:已经|刚|最近|上个?月|去年|今年)*(?:分手|离婚|分开)了?$/;
const LEFT_JOB = new RegExp(
  `^(.{0,8}?)${WHEN}(?:(?:从)(.+?))?${WHEN}(?:辞职|离职|辞了|退休|失业|下岗|被裁|被辞退|辞掉了?|离开了|换了?新?(?:工作|公司|单位))(?:员)?了?(?:(.+?)(?:的工作)?)?$`,
);

/** Understands a clause that says that something is over: true when it is one. */
export function tellChineseEnding(clause: string, scene: Scene, tell: Tell): boolean {
  return isOver(clause, scene) || isGone(clause, scene) || notNow(clause, scene, tell);
}

/** The one that a clause is about; none said: whom the clauses before were about. */
function who(text: string, scene: Scene): Entity | undefined {
  const entity = text.trim() === "" ? scene.topic ?? owner : chineseSubject(text, scene);
  return entity?.kind === "attribute" ? undefined : entity;
}

/** 我不在腾讯工作了，他不再喜欢跑步，我们没有车了. */
function notNow(clause: string, scene: Scene, tell: Tell): boolean {
  const match = NOT_NOW.exec(clause) ?? NEVER_AGAIN.exec(clause);
  if (!match) return false;
  const subject = who(match[1]!, scene);
  if (!subject) return false;
  const rest = cleanChinese(match[2]!);
  const taken = /^(吃|喝|抽)(.+)$/.exec(rest);
  if (taken && isPerson(subject)) {
    for (const item of chineseList(taken[2]!)) {
      scene.end(subject, ["likes"], item);
      scene.say(subject, "#dislikes", item, { words: `不${taken[1]}` });
    }
    scene.topic = subject;
    return true;
  }
  if (/没有?[^没]*$/.test(clause.slice(0, clause.length - match[2]!.length)) && !/^(?:在|住)/.test(rest)) {
    scene.end(subject, [], rest);
    return true;
  }
  const before = scene.snapshot();
  tell(`${match[1]}${rest}`, scene);
  const told = scene.facts.slice(before.facts.length);
  scene.restore(before);
  for (const fact of told) scene.end({ kind: "named", name: fact.subject }, fact.id ? [fact.id] : [], fact.object);
  // 不喜欢…了 and 不爱…了 state a dislike as well.
  return told.length > 0 && !/^(?:喜欢|爱)/.test(rest);
}

/** 把车卖了, 卖掉了旧车, 旧车卖了, 把手机换成了华为. */
function isGone(clause: string, scene: Scene): boolean {
  const swapped = SWAPPED.exec(clause);
  if (swapped) {
    const subject = who(swapped[1]!, scene);
    if (!subject || !isPerson(subject)) return false;
    scene.end(subject, ["owns", "pet", "model"], thingOf(swapped[2]!));
    scene.say(subject, "#owns", cleanChinese(swapped[3]!));
    return true;
  }
  const gone = GONE_OBJECT.exec(clause) ?? GONE_VERB.exec(clause);
  if (gone) {
    const subject = who(gone[1]!, scene);
    if (!subject || !isPerson(subject)) return false;
    scene.end(subject, ["owns", "pet", "model"], thingOf(gone[2]!));
    scene.topic = subject;
    return true;
  }
  const away = IS_GONE.exec(clause);
  if (!away || /[我你他她]$/.test(away[1]!)) return false;
  scene.end(undefined, ["owns", "pet", "model"], thingOf(away[1]!));
  return true;
}

const thingOf = (text: string) =>
  cleanChinese(text).replace(/^(?:我们?家?的?|那(?:辆|台|个|只)?|旧|老|原来的?|以前的?)+(?=.)/, "")
    .replace(/^(?:一)?(?:辆|台|个|只|部)/, "");

/** A death, a parting, the end of a job. */
function isOver(clause: string, scene: Scene): boolean {
  const died = DIED.exec(clause);
  if (died && !/^(?:笑|累|热|冷|饿|气|烦|吓|急|我$|渴|困|难受)/.test(died[1]!)) {
    const subject = who(died[1]!, scene);
    const isAlive = subject &&
      (isPerson(subject) || subject.kind === "relation" || /^(.)\1$/.test(scene.nameOf(subject)));
    // 笑死, 累死了: nobody died.
    if (
      !subject || !isAlive && !/去世|过世|病逝|离世|走丢/.test(clause) ||
      /^(?:今|昨|明|这|那|真|太|都)/.test(scene.nameOf(subject))
    ) {
      return false;
    }
    const when = /\d/.test(died[2] ?? "") ? died[2]! : "";
    scene.say(subject, "#status", `${when}${/走丢/.test(clause) ? "走丢了" : "去世了"}`);
    scene.end(undefined, ["pet"], scene.nameOf(subject));
    scene.topic = subject;
    return true;
  }
  const apart = APART.exec(clause);
  if (apart) {
    const other = cleanChinese(apart[1] ?? "").replace(/^我(?:的)?/, "");
    const kin = leadingRelation(other);
    const ids = ["partner", "spouse", "wife", "husband"];
    scene.end(owner, kin?.rest === "" ? [kin.predicate.id] : ids, isChineseName(other) ? other : undefined);
    return true;
  }
  const job = LEFT_JOB.exec(clause);
  const subject = job && who(job[1]!, scene);
  if (!job || !subject || !isPerson(subject)) return false;
  scene.end(subject, ["job"]);
  scene.end(subject, ["works_at"]);
  if (/退休/.test(clause)) scene.say(subject, "#status", "退休了");
  scene.topic = subject;
  return true;
}
