import { canonicalPredicate } from "../predicates.ts";
import { tellChineseEnding } from "./chinese_endings.ts";
import { CHINESE_RULES } from "./chinese_rules.ts";
import { chineseSubject, leadingRelation } from "./chinese_subject.ts";
import { chineseList, cleanChinese, isChineseName } from "./chinese_words.ts";
import { isUnrealClause } from "./mood.ts";
import { type Entity, isPerson, owner, type Scene } from "./scene.ts";

const OPENING =
  /^(?:(?:你好|您好|嗨|哈喽|嘿|其实|对了|另外|还有|不对|不是的?|错了|更正一下?|纠正一下|顺便说一下|顺便|话说|补充一下|跟你说|告诉你|我告诉你|说一下|哦对|嗯|那个|抱歉|对不起|我刚才说错了|说错了)(?:[，,。！!：: ]+|(?=我|他|她)))+/;

/** Understands one Chinese telling. */
export function tellChinese(sentence: string, scene: Scene): void {
  scene.isLost = false;
  const text = sentence.replace(/[。！!.；;]+$/, "").trim().replace(OPENING, "")
    .replace(/^[^：:，,。]{2,12}[：:](?=我)/, "");
  for (const clause of clausesOf(text)) {
    if (!isUnrealClause(clause, "zh")) tellClause(clause, scene);
  }
}

function clausesOf(text: string): string[] {
  return text.split(/[，,；;](?!\d{3}\b)|(?:——|--)|(?<=.{3})(?:但是|不过|而且|并且|然后|所以)/)
    .map((clause) => clause.trim().replace(/^(?:但是?|不过|而且|并且|然后|所以|因为|同时|还有|以及)/, "").trim())
    .filter((clause) => clause !== "" && !/^(?:而)?不是/.test(clause));
}

const WHOLE: readonly { when: RegExp; tell(match: RegExpExecArray, scene: Scene): boolean | void }[] = [
  {
    when: /^(?:你|大家|朋友们?|别人|同事们?|你们)?(?:可以|就|都|以后)?(?:叫|喊|称呼)我(?:做|为)?(.+)$/,
    tell: (m, scene) => scene.say(owner, "#name", cleanChinese(m[1]!), { confidence: 0.7 }),
  },
  {
    when: /^(?:大的|小的|老大|老二|老三|另?一(?:个|只|条|位)|大女儿|小女儿|哥哥|妹妹)(?:名字)?(?:叫做?|是)(.+)$/,
    tell(m, scene) {
      const { group } = scene;
      if (!group) return false;
      const named = scene.introduce(group.owner, group.predicate, cleanChinese(m[1]!));
      if (!group.species) return true;
      scene.facts = scene.facts.filter((fact) => fact.id !== "pet" || fact.object !== group.species);
      scene.say(named, "#species", group.species);
      return true;
    },
  },
  {
    when: /^(?:我们?|他|她)?(?:已经|刚刚?|今天|昨天)*(?:把|将)(.+?)(?:改成|换成|设成|调到|调成|改为|设为|改到)了?(.+)$/,
    tell(m, scene) {
      const subject = chineseSubject(m[1]!, scene);
      return subject?.kind === "attribute" && tellAttribute(subject, `是${m[2]}`, scene);
    },
  },
  {
    when: /^(?:可以)?(?:打|拨|联系我(?:可以)?打)(?:我(?:的)?(?:电话|手机))?[:：]?(\d[\d-]{6,})/,
    tell: (m, scene) => scene.say(owner, "#phone", m[1]!),
  },
];

/** Ways to say "is" between an attribute and its value. */
const COPULA =
  /^(?:现在|目前|已经|改成|换成|就|都|应该)*(?:是|为|叫做?|有|改成了?|换成了?|变成了?|设成了?|设为|定在了?|到|：|:|＝|=)\s*(.+)$/;

function tellClause(clause: string, scene: Scene): boolean {
  for (const whole of WHOLE) {
    const match = whole.when.exec(clause);
    if (match && whole.tell(match, scene) !== false) return true;
  }
  const compact = clause.replace(/(?<=\p{Script=Han})\s+|\s+(?=\p{Script=Han})/gu, "");
  const both = /^(.{1,6}?)(?:和|跟|与)(.{1,6}?)((?:都|也)*(?:住|是|喜欢|会|来自|搬).+)$/.exec(compact);
  const kin = (text: string) => leadingRelation(text.replace(/^我(?:的)?/, ""))?.rest === "";
  if (both && kin(both[1]!) && kin(both[2]!)) {
    const told = tellClause(`${both[1]}${both[3]}`, scene);
    return tellClause(`${both[2]}${both[3]}`, scene) || told;
  }
  if (tellChineseEnding(compact, scene, tellClause)) return true;
  if (startsWithoutSubject(compact) && (scene.isLost || applyRules(compact, scene.topic ?? owner, scene))) return true;
  // 养了一条狗，还有一只猫叫咪咪: what is counted goes on with what one has.
  if (/^(?:[一两三四五六七八九\d])(?:只|条|辆|台|个|匹|把|架|部|头)/.test(compact) && HAD.test(scene.sentence)) {
    if (applyRules(`有${compact}`, owner, scene)) return true;
  }
  for (const [head, rest] of splits(compact)) {
    if (tellSplit(head, rest, scene)) return true;
  }
  if (introduces(compact, scene)) return true;
  if (/^(?:我|我们|咱们?)(?!的|家|们的)/.test(compact)) scene.topic = owner;
  else scene.isLost = isSomeone(compact);
  return false;
}

const HAD = /有|养|买|领养|收养/;

/** Whether a clause that was not understood is about somebody else than the speaker: what goes on without a subject is
 * then nobody's. */
function isSomeone(clause: string): boolean {
  if (/^(?:他|她|它|你|您|别人|有人|大家)/.test(clause) && !/好$/.test(clause)) return true;
  const bare = clause.replace(/^我(?:们)?(?:家)?(?:的)?/, "");
  return leadingRelation(bare) !== undefined || [2, 3].some((count) => isChineseName(clause.slice(0, count)));
}

/** Where the subject may end. The shortest subject that leaves something to say wins. */
function* splits(clause: string): Generator<[string, string]> {
  const characters = [...clause];
  for (let count = 1; count < Math.min(characters.length, 17); count++) {
    yield [characters.slice(0, count).join(""), characters.slice(count).join("").trim()];
  }
}

/** A clause that says nothing else still tells who someone is: 我哥哥赵磊很忙, 家庭医生是王大夫. */
function introduces(clause: string, scene: Scene): boolean {
  const called = /^(.{2,6}?)(?:是|叫)(.{2,5})$/.exec(clause);
  const role = called && leadingRelation(called[1]!.replace(/^(?:我们?家?的?)/, ""));
  if (
    role?.rest === "" &&
    (isChineseName(called![2]!) || /^.{1,2}(?:医生|大夫|老师|师傅|教练|先生|女士|律师|阿姨|叔叔)$/.test(called![2]!))
  ) {
    // A child's class teacher is the child's.
    const { topic } = scene;
    const isChilds = ["teacher", "classmate"].includes(role.predicate.id) && topic !== undefined && isPerson(topic) &&
      !/我/.test(clause) && scene.facts.some((fact) => fact.sentence === scene.sentence);
    const named = scene.introduce(isChilds ? topic : owner, role.predicate, called![2]!, { noun: role.noun });
    if (!isChilds) scene.topic = named;
    return true;
  }
  const mine = /^我(?:们家|们|家)?的?(.+)$/.exec(clause);
  const relation = mine && leadingRelation(mine[1]!);
  const named = relation && /^(.{2,3}?)(?:是|在|今年|很|特别|住|喜欢|要|会|也|都|有|对|做)/.exec(relation.rest);
  if (!relation || !named || !isChineseName(named[1]!)) return false;
  scene.topic = scene.introduce(owner, relation.predicate, named[1]!, { noun: relation.noun });
  return true;
}

const NO_SUBJECT =
  /^(?:今年|现在|目前|最近|已经|刚|也|都|还|特别|非常|很|最|比较|超|一直|从小|平时|正在|是(?!的|吗|不是|否|因为|你|他|她|这|那)|叫|名叫|姓|住|在|喜欢|爱|讨厌|不|对.+过敏|有|养|做|当|上|读|会|生日|身高|老家|来自|搬|开|学|属|\d+岁|[一二三四五六七八九十]+岁|和|跟|从|停在|放在|藏在|挂在|存在|位于|买|卖|换了|去年|前年|上个月|跳槽|入职|调到|\d+[年月日号])/;

function startsWithoutSubject(clause: string): boolean {
  return NO_SUBJECT.test(clause) &&
    !/^(?:对面|对门|对象|会议|会员|做饭|当地|上海|上面|开水|学校|学生|最喜欢的|最爱的|爱人|有人|在线|养老|住址|住房|住院|上司|老家具)/
      .test(clause);
}

function tellSplit(head: string, rest: string, scene: Scene): boolean {
  if (rest === "" || /^[的们]/.test(rest) || head.endsWith("的")) return false;
  const before = scene.snapshot();
  const meant = chineseSubject(head, scene);
  // 水表 looks like a name, and is where only a thing is kept.
  const isThing = meant?.kind === "named" && meant.type === "person" && THING_END.test(head) && PLACED.test(rest);
  const subject: Entity | undefined = isThing ? { kind: "named", name: head, type: "thing" } : meant;
  if (subject) {
    const told = subject.kind === "attribute" ? tellAttribute(subject, rest, scene) : applyRules(rest, subject, scene);
    const mine = subject.kind === "attribute" && subject.owner === owner && /^我(?:的|们|家)*(.+)$/.exec(head)?.[1];
    if (!told && subject.kind === "attribute" && (mine || !/^(?:我|他|她|你)|的/.test(head))) {
      scene.restore(before);
      const thing: Entity = { kind: "named", name: mine ? `我的${mine}` : head, type: "thing" };
      if (applyRules(rest, thing, scene)) {
        scene.topic = thing;
        return true;
      }
    }
    if (told) {
      if (subject.kind !== "attribute" && (scene.topic === before.topic || isSame(subject, owner))) {
        if (!(isSame(subject, owner) && scene.topic !== before.topic)) scene.topic = subject;
      } else if (subject.kind === "attribute" && scene.topic === before.topic) {
        scene.topic = subject.of ?? subject.owner;
      }
      return true;
    }
  }
  scene.restore(before);
  return false;
}

const THING_END = /^\p{Script=Han}{1,3}[表箱盒机器包卡本书灯锅刀伞药票证笔车柜桶管钥匙袋瓶杯碗扇炉泵阀闸网线]$/u;
const PLACED = /^(?:就|都|一直)?(?:放|存|挂|收|藏|搁|摆|停)?在.+/;

function isSame(a: Entity, b: Entity): boolean {
  return a === b || a.kind === "named" && b.kind === "named" && a.name === b.name;
}

function applyRules(rest: string, subject: Entity, scene: Scene): boolean {
  if (subject.kind === "attribute") return false;
  const person = isPerson(subject) || subject.kind === "relation" || subject.type === "pet";
  // A given name that looks like none is somebody's all the same, when only somebody can be so.
  const isGiven = subject.kind === "named" && subject.type === "thing" && /^\p{Script=Han}{2,3}$/u.test(subject.name);
  for (const rule of CHINESE_RULES) {
    if (
      rule.who === "person" && !person && !(isGiven && /过敏/.test(rule.when.source)) ||
      rule.who === "thing" && isSame(subject, owner)
    ) continue;
    const match = rule.when.exec(rest);
    if (!match) continue;
    if (rule.tell(match, subject, scene) !== false) return true;
    if (rule.who === "any" && /^\^.*不\|没/.test(rule.when.source)) return false;
  }
  return false;
}

function tellAttribute(subject: Extract<Entity, { kind: "attribute" }>, rest: string, scene: Scene): boolean {
  const match = COPULA.exec(rest) ?? /^((?:\d|[A-Z]|一|二|三|四|五|六|七|八|九|十|http|@).*)$/.exec(rest) ??
    /^(每.*\d.*)$/.exec(rest) ??
    (/地址|住址|日期|时间|老家/.test(subject.predicate) ? /^在(.+)$/.exec(rest) : null);
  if (!match) return false;
  const object = cleanChinese(match[1]!);
  if (object === "" || /^(?:不|没|谁|什么|哪)/.test(object)) return false;
  const known = canonicalPredicate(subject.predicate);
  if (known?.id === "name" && subject.owner.kind === "relation") {
    scene.topic = scene.introduce(subject.owner.owner, subject.owner.predicate, object, subject.owner);
    return true;
  }
  if (known?.inverse && known.id !== "owns" && isChineseName(object)) {
    scene.topic = scene.introduce(subject.owner, known, object, { noun: subject.predicate });
    return true;
  }
  const values = known && !known.single ? chineseList(object) : [object];
  const facts = scene.facts.length;
  for (const value of values) scene.say(subject.owner, subject.predicate, value, { words: subject.predicate });
  return scene.facts.length > facts;
}
