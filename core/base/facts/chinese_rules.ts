import { predicateById } from "../predicates.ts";
import { chineseList, chineseNumber, cleanChinese, isChineseName, ZH_NUMBER } from "./chinese_words.ts";
import { leadingRelation } from "./chinese_subject.ts";
import { type Entity, isPerson, type Scene } from "./scene.ts";

/** What the rest of a clause states of its subject. */
export interface ChineseRule {
  who: "person" | "thing" | "any";
  when: RegExp;
  /** Returns false when the words mean something else after all. */
  tell(match: RegExpExecArray, subject: Entity, scene: Scene): boolean | void;
}

/** Adverbs before the verb. */
const ADV =
  "(?:现在|目前|今年|去年|前年|上个月|上周|最近|刚刚|刚|已经|一直|也|都|就|还|又|其实|平时|特别|非常|很|最|比较|超级|超|真的|挺|蛮|可|常常|经常|从小|从小就|有点|有些|终于|正式|主要|长期|暂时|本来|正在|正|的)*";

const rule = (who: ChineseRule["who"], pattern: string, tell: ChineseRule["tell"]): ChineseRule => ({
  who,
  when: new RegExp(`^${ADV}${pattern}`, "iu"),
  tell,
});

const EMPTY =
  /^(?:你|他|她|它|这个|那个|这样|那样|这里|那里|这些|那些|这|那|自己|人|东西|的|一个人|家|家里|外面|公司|单位|办公室|路上|车上|忙|学校|开会|休息|上班|加班|吃饭|睡觉|想|等|看|哪.*)$/;

const one = (id: string) => (match: RegExpExecArray, subject: Entity, scene: Scene) => {
  const text = cleanChinese(match[1]!);
  if (text === "" || EMPTY.test(text)) return false;
  scene.say(subject, id, text);
};

const many = (id: string) => (match: RegExpExecArray, subject: Entity, scene: Scene) => {
  const items = chineseList(match[1]!).filter((item) => !EMPTY.test(item));
  for (const item of items) scene.say(subject, id, item.replace(/^(?:喝|吃)(?=..)/, ""));
  return items.length > 0;
};

function named(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const name = cleanChinese(match[1]!).replace(/^做/, "");
  if (
    name === "" || /^(?:我|你|他|她|什么|人|了|过|着|车|外卖|滴滴|不)/.test(name) ||
    /^\p{Script=Han}{5,}$/u.test(name) && (isPerson(subject) || subject.kind === "relation") || name.length > 20
  ) return false;
  if (subject.kind === "relation") {
    scene.topic = scene.introduce(subject.owner, subject.predicate, name, subject);
    const pending = scene.pendingSpecies ??
      (subject.noun && !/宠物/.test(subject.noun)
        ? subject.noun.replace(/^小(?=.)|咪$/g, "").replace("狗狗", "狗")
        : undefined);
    if (subject.predicate.id === "pet" && pending) {
      scene.facts = scene.facts.filter((fact) => fact.id !== "pet" || fact.object !== pending);
      scene.say(scene.topic, "#species", pending);
    }
  } else scene.say(subject, "#name", name);
  return true;
}

function place(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const text = cleanChinese(match[1]!).replace(/(?:那边|那里|那儿)$/, "").replace(/^在(?=..)/, "");
  if (text === "" || EMPTY.test(text) || /^(?:一起|楼上|楼下|这边|那边)/.test(text)) return false;
  scene.say(subject, /^[\d一二三四五六七八九十]+(?:楼|层)$/.test(text) ? "#floor" : "#lives_in", text);
  return true;
}

/** 腾讯做产品经理, 华为工作, 广州读大学: what someone does in a place. */
function worksIn(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const where = cleanChinese(match[1]!).replace(/^(?:一家|一个|一所)(?:叫(?:做)?)?/, "").replace(
    /的(?:公司|单位|企业|学校|地方|店)$/,
    "",
  );
  const what = match[2] ? cleanChinese(match[2]).replace(/^(?:一名|一个|一位|了)/, "") : "";
  if (EMPTY.test(where) && what === "") return false;
  if (!EMPTY.test(where)) scene.say(subject, "#works_at", where);
  if (what !== "" && what.length <= 14) scene.say(subject, "#job", what);
  return true;
}

/** How a place ends, or what a time has. */
const LOCATED =
  /[里上下中内外旁边面间侧层楼柜箱盒室房厅店路街区市县村镇省国号库架桌床口包袋家校院园站场馆处屉台座堂城洞角底顶头后前棚仓廊道梯司行那盘本册]$|那儿|这儿|附近|[A-Za-z\d]|[点月日周]|星期|上午|下午|今天|明天/;

/** Somebody by their title: 王医生, 李老师. */
const TITLED = /^.{1,2}(?:医生|大夫|老师|师傅|教练|先生|女士|律师|阿姨|叔叔)$/;

const JOB =
  /(?:师|员|生|工|者|家|长|官|人|警|商|手|匠|医|兵|总监|经理|主管|老师|教授|司机|厨师|保安|秘书|助理|会计|律师|程序员|博主|编剧|导演|演员|模特|主播|翻译|编辑|记者|教练|店主|农民|警察|法官|检察官|护工|快递员|裁缝|牧师|导游|老板|顾问|主任|研究员|博士|学生|消防员|护士|保姆|客服|销售|运营|前台|码农|公务员|自由职业|个体户|设计|程序猿)$/;
const NOT_JOB =
  /(?:好人|坏人|男人|女人|大人|本人|客人|主人|家人|病人|老人|狂人|男生|女生|学霸|先生|陌生|人生|医生的|的人|新手|高手|外国人|专家的)$/;

/** 一只猫，一辆车，两个孩子: what someone has. */
function has(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const text = cleanChinese(match[1]!);
  if (
    /^(?:点|些|时间|事|空|问题|意思|用|没|可能|必要|关系|道理|兴趣|人|什么|一次|一天|一点|机会|办法|感觉|个(?:问题|想法|会|事|约|建议|好消息|坏消息)|病|毛病|预约|课|考试|会议|面试)/
      .test(text)
  ) return false;
  const counted = new RegExp(
    `^(?:了|着|过)?(${ZH_NUMBER})?(?:只|条|个|辆|台|位|名|头|匹|对|部|套|把|本|间|双|架|块|张|件)?(.+)$`,
    "u",
  ).exec(text);
  const thing = counted?.[2] ?? text;
  if (
    /^(?:想法|问题|主意|建议|事|会议?$|约|梦|疑问|请求|好消息|坏消息|机会|预感|感觉|考试|面试|东西|秘密|麻烦|快递|电话|消息|邮件)/
      .test(thing)
  ) return false;
  if (/[死丢]了?$/.test(text)) return false;
  if (/^[一二两三四]?[儿男][一二两三四]女$|^[一二两三四]?女[一二两三四]儿$/.test(text)) return true;
  const relation = leadingRelation(thing);
  if (relation && relation.predicate.id !== "pet") {
    const names = relation.rest.replace(/^(?:分别)?(?:叫做?|名叫|名字叫|是)/, "");
    if (relation.rest !== "" && names !== relation.rest) {
      for (const name of chineseList(names)) {
        scene.topic = scene.introduce(subject, relation.predicate, name, { noun: relation.noun });
      }
    } else if (relation.rest === "") {
      scene.group = { owner: subject, predicate: relation.predicate };
      scene.topic = { kind: "relation", owner: subject, predicate: relation.predicate };
    } else return false;
    return true;
  }
  const pet =
    /^(?:(.*?)(?:的)?)?(小?(?:猫|狗|兔子|仓鼠|鹦鹉|乌龟|金鱼|鱼|鸟|猪|马|羊|鸡|鸭|蛇|蜥蜴|龙猫|刺猬|布偶|柯基|金毛|泰迪|哈士奇|柴犬|橘猫|英短|美短|边牧|拉布拉多|犬)(?:咪|狗)?)(?:名?(?:字)?叫做?(.+))?$/u
      .exec(thing);
  if (pet) {
    const species = cleanChinese(`${pet[1] ?? ""}${pet[2]}`);
    const relationPet: Entity = { kind: "relation", owner: subject, predicate: predicateById("pet") };
    if (pet[3]) {
      scene.topic = scene.introduce(subject, predicateById("pet"), cleanChinese(pet[3]));
      scene.say(scene.topic, "#species", species);
    } else {
      scene.say(subject, "#pet", species, { confidence: 0.8 });
      scene.topic = relationPet;
      scene.pendingSpecies = species;
      scene.group = { owner: subject, predicate: predicateById("pet"), species };
    }
    return true;
  }
  const measure = new RegExp(`^${ZH_NUMBER}(?:只|条|个|辆|台|位|名|头|匹|对|部|套|把|本|间|双|架|块|张|件)(?=.)`, "u");
  const each = chineseList(thing).flatMap((item) => item.split(/(?=一(?:只|条|个|辆|台|部|把|本|架)(?=.))/));
  for (const item of each) scene.say(subject, "#owns", item.replace(measure, ""));
  return true;
}

/** What comes after the subject of a clause, in the order in which it is tried. */
export const CHINESE_RULES: readonly ChineseRule[] = [
  rule("person", "(?:对)?(?!不|没|.*对)(.{1,12}?)(?:严重|有点|有些|都|轻微)*过敏(?:的|了)?$", many("#allergic_to")),
  rule("person", "(?:从来)?(?:不|不能)(吃|喝)(?!了|饭$|药$)(.+)$", (m, s, scene) => {
    for (const item of chineseList(m[2]!)) scene.say(s, "#dislikes", item, { words: `不${m[1]}` });
  }),
  rule(
    "person",
    "(?:不(?:太|怎么|大|是很)?(?:喜欢|爱)(?:吃|喝)?|讨厌(?:吃|喝)?|厌恶|反感|受不了|恨|烦|嫌弃|不吃|不喝)(.+)$",
    many("#dislikes"),
  ),
  rule("any", "(?:不|没有?|别|未|没)(?!锈钢|远处).*$", () => false),
  rule(
    "person",
    "姓(\\p{Script=Han}{1,2})(?:$|，)",
    (m, s, scene) =>
      s.kind === "relation" && isPerson(s) && scene.nameOf(s).length > 4
        ? scene.say(s, "#surname", m[1]!)
        : scene.say(s, "#surname", m[1]!),
  ),
  rule("any", "(?:名字)?(?:叫做|叫|名叫|的?名字(?:是|叫)|大名(?:叫)?|全名(?:是|叫)?)(.+)$", named),
  rule("any", "(?:换成|换了|改成|变成|换为)(?:了)?(?!.*的$)(.{2,8})$", (m, s, scene) => {
    const name = cleanChinese(m[1]!);
    if (s.kind !== "relation" || !(isChineseName(name) || TITLED.test(name))) return false;
    scene.topic = scene.introduce(s.owner, s.predicate, name, { noun: s.noun, isNew: true });
  }),
  rule("person", "(?:.{0,4})(毕业|怀孕|出国|转学|休学|升职)了$", (m, s, scene) => scene.say(s, "#status", `${m[1]}了`)),
  rule(
    "person",
    "(?:每天|每晚|每周|早上|晚上|睡前|长期|饭后|一天.次)*(?:都)?(?:要|在|得)?吃(?:一?(?:片|粒|颗))?(.{1,10}(?:药|片|胶囊|素|丸))$",
    one("#medicine"),
  ),
  rule("person", "(?:学的(?:专业)?是|主修|专业是|读的是)(.+?)(?:专业)?$", one("#major")),
  rule("person", "(?:小名|外号|昵称|绰号|网名)(?:是|叫)?(.+)$", one("#nickname")),
  rule(
    "person",
    `(?:是|有|满|快|过了|快要)?(${ZH_NUMBER})(?:周岁|岁)(?:了|半|大)?$`,
    (m, s, scene) => scene.say(s, "#age", `${chineseNumber(m[1]!)}岁`),
  ),
  rule(
    "person",
    `(?:今年|已经|快|都|刚)(?:就|都|已经|刚|满|刚满)*(${ZH_NUMBER})(?:了|啦)?$`,
    (m, s, scene) => scene.say(s, "#age", `${chineseNumber(m[1]!)}岁`),
  ),
  rule("person", `(?:属|是属)([鼠牛虎兔龙蛇马羊猴鸡狗猪])(?:的)?$`, one("#zodiac")),
  rule("person", "是(.{2}座)(?:的)?$", one("#zodiac")),
  rule("person", "是?((?:A|B|AB|O|RH阴性)型)(?:血)?(?:的)?$", one("#blood_type")),
  rule("person", "(?:生日|过生日)(?:是|在|:|：)?(.*(?:[月日号]|\\d|初|正月|节).*)$", one("#birthday")),
  rule(
    "person",
    "(?:是)?(?:在)?((?:\\d|[一二三四五六七八九十零〇]){1,4}(?:年|月).{0,8}?)(?:出生|生)(?:的|人)?$",
    one("#birthday"),
  ),
  rule(
    "person",
    "(?:是)?(?:出生于|出生在|生于|生在)(.+?)(?:的)?$",
    (m, s, scene) => scene.say(s, /\d|年|月/.test(m[1]!) ? "#birthday" : "#hometown", cleanChinese(m[1]!)),
  ),
  rule("person", "(?:身高|个子)(?:是|有)?(.*\\d.*)$", one("#height")),
  rule("person", "(?:体重)(?:是|有)?(.*\\d.*)$", one("#weight")),
  rule(
    "person",
    "(?:和|跟|与)(?:我)?(?:老婆|老公|家人|爸妈|父母|女朋友|男朋友)?(?:一起)?(?:搬到|搬去|搬进|搬来|住在|定居在?)了?(.+)$",
    place,
  ),
  rule(
    "person",
    "(?:和|跟|与)(.+?)(?:去年|今年|前年|刚刚|刚|已经|昨天|\\d+年)*(?:结婚|领证|成家)了?.*$",
    (m, s, scene) => {
      scene.topic = scene.introduce(s, predicateById("spouse"), cleanChinese(m[1]!));
    },
  ),
  rule("person", "(?:从.{1,10})?(?:搬家到|搬到|搬去|搬进|搬来|搬回|移居到?|迁到)了?(.+)$", place),
  rule("person", "(?:住在|居住在|定居在?|住的是|住(?!院|校|手|口|宿|在一)|现居|家住|家在|安家在|常住)了?(.+)$", place),
  rule("person", "(?:老家|家乡|祖籍|籍贯)(?:是|在)?(.+)$", one("#hometown")),
  rule("person", "是?来自(.+?)的(.{2,4})$", (m, s, scene) => {
    scene.say(s, "#hometown", cleanChinese(m[1]!));
    if (isChineseName(m[2]!)) scene.say(s, "#name", m[2]!);
  }),
  rule("person", "(?:来自|是从)(.+?)(?:来的)?$", one("#hometown")),
  rule(
    "person",
    "是(\\p{Script=Han}{2,6})人$",
    (m, s, scene) =>
      /^(?:好|坏|男|女|老|主|客|家|本|中年|年轻|这|那|有心|普通|老实|聪明)/.test(m[1]!)
        ? false
        : scene.say(s, "#hometown", m[1]!),
  ),
  rule("person", "是(?:做|搞|干)(.{2,12}?)的$", one("#job")),
  rule("person", "在(.+?(?:学|园|校|中|高|附小))(?:上|读|念)(.*(?:年级|大班|中班|小班).*)$", (m, s, scene) => {
    scene.say(s, "#school", cleanChinese(m[1]!));
    scene.say(s, "#school_class", cleanChinese(m[2]!));
  }),
  rule("person", "(?:在)?(?:上|读|念)(研究生|博士|硕士|本科|大学|高中|初中|小学|幼儿园)$", one("#school_class")),
  rule(
    "person",
    "在(.+?)(?:上|读|念)(大学|小学|中学|高中|初中|幼儿园|研究生|博士|本科|.年级|大[一二三四]|高[一二三]|初[一二三])(.*)$",
    (m, s, scene) => {
      scene.say(s, "#school", `${cleanChinese(m[1]!)}的${m[2]}`);
    },
  ),
  rule("person", "在(.+?)(?:上学|读书|念书|就读|留学)$", one("#school")),
  rule(
    "person",
    "(?:在)?(?:上|读|念)((?:幼儿园|小学|初中|高中|大学|中学|研究生)?.{0,6}(?:年级|大班|中班|小班|[高初大][一二三四]).*)$",
    one("#school_class"),
  ),
  rule("person", "(?:上|读|念|就读于)(.*(?:小学|中学|大学|高中|初中|幼儿园|学院|学校))(?:了)?$", one("#school")),
  rule("person", "(?:毕业于)(.+)$", one("#education")),
  rule("person", "(?:在)?(.{2,12}?)毕业(?:的)?$", one("#education")),
  rule("person", "在(.+?)(?:工作|上班|任职|就职|打工|供职)$", worksIn),
  rule("person", "在(.+?)(?:做|当|担任|任|从事)(.+)$", worksIn),
  rule("person", "在(.+?)(?:教)(.+)$", (m, s, scene) => {
    scene.say(s, "#works_at", cleanChinese(m[1]!));
    scene.say(s, "#job", `教${cleanChinese(m[2]!)}`);
  }),
  rule("person", "(?:就职于|任职于|供职于|入职了?|跳槽到了?|加入了?|受雇于)(.+)$", worksIn),
  rule(
    "person",
    "(?:做|当|担任|从事|干)(?:的是|了)?(?:一名|一个|一位)?(.+?)(?:的|的工作|这行|这一行|工作)?$",
    (m, s, scene) => {
      const text = cleanChinese(m[1]!);
      if (
        !JOB.test(text) && !/(?:行业|设计|开发|测试|运营|销售|财务|生意|买卖|外贸|教育|IT|金融|保险)$/i.test(text)
      ) return false;
      scene.say(s, "#job", text);
    },
  ),
  rule("person", "是(?:一名|一个|一位|名|个|位)?(.{1,14})$", (m, s, scene) => {
    const text = cleanChinese(m[1]!);
    const isPet = s.kind === "relation" ? s.predicate.id === "pet" : s.kind === "named" && s.type === "pet";
    if (isPet && /^\p{Script=Han}{2,6}$/u.test(text) && !/的$|^(?:我|你|他|她)/.test(text)) {
      scene.say(s, "#species", text);
      return;
    }
    const of = /^(.+?)的(.+)$/.exec(text);
    const role = of?.[2] ?? text;
    const isShortJob = role.length === 2 && JOB.test(role) && !NOT_JOB.test(role);
    if (isChineseName(role) && s.kind === "relation" && !isShortJob) {
      scene.topic = scene.introduce(s.owner, s.predicate, role, s);
      return;
    }
    const mine = /^我(?:的)?(.+)$/.exec(text);
    const relation = mine && leadingRelation(mine[1]!);
    if (relation && relation.rest === "" && s.kind === "named" && s.name !== "user") {
      scene.introduce({ kind: "named", name: "user", type: "person" }, relation.predicate, s.name, {
        noun: relation.noun,
      });
      return;
    }
    if (JOB.test(role) && !NOT_JOB.test(role) && !leadingRelation(role)?.predicate.broader) {
      scene.say(s, "#job", role);
      if (of) scene.say(s, "#works_at", of[1]!);
      return;
    }
    if (isChineseName(text) && scene.nameOf(s) === "user") {
      scene.say(s, "#name", text);
      return;
    }
    return false;
  }),
  rule(
    "person",
    "(?:喜欢|爱(?!人|情|国|心|好|护|惜|妻)|热爱|喜爱|迷上了|钟爱|偏爱|热衷于|痴迷)(?:吃|喝)?(?!的)(.+)$",
    (m, s, scene) => {
      const verb = /(?:吃|喝)/.exec(m[0].slice(0, m[0].length - m[1]!.length));
      return many("#likes")(m, s, scene) && verb !== undefined;
    },
  ),
  rule("person", "(?:的)?(?:爱好|兴趣)(?:是|有)(.+)$", many("#hobby")),
  rule("person", "(?:会|能)(?:说|讲)(?:一点|流利的|一些)?(.+)$", many("#speaks")),
  rule(
    "person",
    "(?:说|讲)((?:普通话|粤语|英语|日语|法语|德语|韩语|上海话|四川话|闽南语|西班牙语|俄语).*)$",
    many("#speaks"),
  ),
  rule("person", "(?:吃素|吃斋)$", (_m, s, scene) => scene.say(s, "#diet", "吃素")),
  rule("person", "是?(素食主义者|素食者|纯素食者)$", one("#diet")),
  rule("person", "(?:在|开始)?(?:学|学习|练)(?:习)?(?![校会生期院费历位到完习的])(.{1,8})$", many("#hobby")),
  rule("person", "(?:学的是|主修|专业是|读的是)(.+?)(?:专业)?$", one("#major")),
  rule("person", "(?:擅长|精通|拿手的是|会)((?!.*的$).{1,10})$", many("#skill")),
  rule("person", "(?:患有|得了|有)(.{0,8}(?:病|症|炎|高血压|哮喘))$", one("#illness")),
  rule("person", "(?:穿|鞋码是?|穿鞋)(.*?\\d+(?:\\.\\d)?(?:码|号)?|[SMLX]+(?:码|号)?)(?:的.*)?$", one("#size")),
  rule("person", "开(?:的是|着)?(?:一辆|一台|辆)?((?!会|车|始|心|玩笑|店|公司|发).{2,14})$", one("#owns")),
  rule("person", "(?:养了?|收养了|领养了|养着|养有)(.+)$", has),
  rule("person", "(?:家里)?(?:有|买了|拥有|入手了|新买了|有了|生了)(.+)$", has),
  rule(
    "person",
    "(?:未婚|单身|已婚|离异|离婚|结婚)了?$",
    (m, s, scene) => scene.say(s, "#marital_status", cleanChinese(m[0])),
  ),
  rule("person", "在(.{2,6}?)开(?:了)?(?:一?(?:家|个|间))?(.{1,6}(?:店|馆|公司|厂|铺|吧|室|院|所))$", (m, s, scene) => {
    scene.say(s, "#located_in", cleanChinese(m[1]!));
    scene.say(s, "#job", `开${cleanChinese(m[2]!)}`);
  }),
  rule("person", "在([\\p{L}\\d][\\p{L}\\d&. -]{1,20})$", (m, s, scene) => {
    // Where somebody is now who changed jobs is where they work.
    if (!/换.{0,3}工作|跳槽|换.{0,2}公司|辞职|离职|入职/.test(scene.sentence)) return false;
    scene.say(s, "#works_at", cleanChinese(m[1]!));
  }),
  rule("person", "(?:现在|目前|还)?在(\\p{Script=Han}{2,5})$", (m, s, scene) => {
    const elsewhere =
      /[院校司里上下边店室房站楼厅班课家会]$|^(?:路上|家|外面|忙|开会|开车|上班|上课|上学|睡|吃|做|看|玩|等|休息|加班|出差|打|学习|学校|工作|工地|跟|和|住院|生病)/;
    if (s.kind !== "relation" || elsewhere.test(m[1]!)) return false;
    if (/[开做卖读打学教当睡等玩走跑坐躺哭笑吃喝看听写说]/.test(m[1]!)) return false;
    scene.say(s, "#located_in", m[1]!);
  }),
  // Things
  rule("thing", "(?:已经)?(?:定在|安排在|约在|改到|改在|推迟到|提前到|挪到)了?(.+)$", one("#date")),
  rule("thing", "(?:是)?在(.+?)(?:买|办|订|上)的$", one("#supplier")),
  rule(
    "thing",
    "(?:就|都|一直)?(?:(?:放|存放|藏|搁|收|摆|挂|停|埋|插|贴|存|丢|塞)(?:在|到|于|进)了?|放了?|位于|坐落于|藏了?)(.+)$",
    (m, s, scene) => isPerson(s) ? false : one("#located_in")(m, s, scene),
  ),
  rule(
    "thing",
    "在(.+)$",
    (m, s, scene) => {
      // 在裁员 and 在充电 are no places.
      if (!LOCATED.test(m[1]!)) return false;
      if (isPerson(s) || /(?:开|坏|修|响|做|跑|等|充电|使用|维修|升级|运行|下载|运输|路上)$/.test(m[1]!)) return false;
      return one(
        /[点月日]|^\\d+号$|周|星期|上午|下午|今天|明天/.test(m[1]!) && !/路|层|楼|区/.test(m[1]!)
          ? "#time"
          : "#located_in",
      )(m, s, scene);
    },
  ),
  rule("thing", "(?:跑在|运行在|监听|用的?是?)(?:端口)?(\\d{2,5})(?:端口)?(?:上)?$", one("#port")),
  rule(
    "thing",
    "(?:花了|卖|要|值)(.*(?:\\d|[一二三四五六七八九十百千万]).*(?:元|块|块钱|万|千|百|刀|欧|美元|美金))$",
    one("#price"),
  ),
  rule("thing", "(?:到期|过期)(?:日|时间)?(?:是|在)?(.+)$", one("#expiry")),
  rule("thing", "(.*(?:\\d|[一二三四五六七八九十])(?:年|月|日|号).*?)(?:到期|过期)$", one("#expiry")),
  rule("thing", "(?:的?(?:保修|质保)(?:期)?)(?:到|至|是)(.+)$", one("#warranty")),
  rule("thing", "(?:姓)(\\p{Script=Han}{1,2})$", one("#surname")),
  rule("thing", "(?:是|有)((?:\\p{Script=Han}{1,3})色)的?$", one("#color")),
  rule(
    "thing",
    "是(?:一(?:辆|台|部|个|只|把))?(?:(\\p{Script=Han}{1,3}色)的)?([\\p{L}\\d][\\p{L}\\d .+-]{1,20})$",
    (m, s, scene) => {
      const text = cleanChinese(m[2]!);
      if (
        s.kind !== "named" || !/^我的|的/.test(s.name) || /的$|^(?:不|我|你|他|她|这|那|谁|什么|因为|为了)/.test(text)
      ) {
        return false;
      }
      if (m[1]) scene.say(s, "#color", m[1]);
      if (/[A-Za-z\d]/.test(text) && !/[号码]$/.test(s.name)) scene.say(s, "#model", text);
      else scene.say(s, "是", text);
    },
  ),
];
