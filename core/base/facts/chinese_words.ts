/** Small Chinese words and shapes that the rules share. */

const SURNAMES =
  "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫经房裘缪干解应宗丁宣邓郁单杭洪包诸左石崔吉龚程嵇邢滑裴陆荣翁荀羊於惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘钭厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍却璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红游竺权逯盖益桓公肖";

/** Words that begin like a name and are none. */
const NOT_A_NAME =
  /^(?:今天|今年|明天|昨天|现在|最近|平时|周末|时候|时间|从来|安全|安静|成天|成为|平常|经常|常常|于是|后来|应该|那个|那些|那里|那边|东西|全家|全部|家里|家人|公司|国家|都是|都在|和我|后天|方便|强烈|别人|有人|大家|小时|小时候|老是|老家|小区|小学|老师|老板|老婆|老公|车子|车|水|花|马上|高兴|高中|文件|文具|温度|房子|房间|房租|门口|时常|万一|公寓|白天|古代|明年|明显|关于|通常|通过|金额|连|应|向|从|后|经|满|越|相|须|查|别|却|能|会|和|于|都|那|任何|何时|何况|师傅|班主任|广场|国内|向来|经过|空调|路由器|温水|容易|易碎|田里|水费|电费|牛奶|马桶|花园|花盆|鱼缸|石头|白色|红色|黄色|蓝色|金色|乐器|居然|全是|党员|双方|时不时|曲子|单位|单身)$/;

/** Whether a text looks like the name of a person: surname with one or two characters, 小X, 老X, 阿X, doubled, or Latin. */
export function isChineseName(text: string): boolean {
  if (NOT_A_NAME.test(text)) return false;
  if (/^[\p{Script=Latin}][\p{Script=Latin} .'-]*$/u.test(text)) {
    return !/^(?:wifi|wi-fi|nas|vpn|ip|app|pc|tv)$/i.test(text);
  }
  if (/^(.)\1$/u.test(text) && !/^(?:爸|妈|哥|姐|弟|妹|爷|奶|天|人|常|刚|家|谁|都)/.test(text)) return true;
  if (/^[小老阿大]\p{Script=Han}{1,2}$/u.test(text)) {
    return !/^(?:小[时区学心吃说孩狗猫偷费组票声]|老[师板婆公家人是实外鼠虎]|阿[姨]|大[家人学概约多部楼门厅小])/.test(
      text,
    );
  }
  if (/^(?:欧阳|司马|上官|诸葛|夏侯|东方|皇甫|尉迟|公孙|慕容|司徒|令狐|端木)\p{Script=Han}{1,2}$/u.test(text)) {
    return true;
  }
  return /^\p{Script=Han}{2,3}$/u.test(text) && SURNAMES.includes(text[0]!);
}

const DIGIT: Record<string, number> = {
  零: 0,
  〇: 0,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
};

/** 二十八 → 28; anything else stays. */
export function chineseNumber(text: string): string {
  const match = /^(?:([一二两三四五六七八九])?(百))?零?(?:([一二三四五六七八九])?(十))?([零一二两三四五六七八九])?$/
    .exec(text);
  if (!match || text === "") return text;
  const [, hundreds, hundred, tens, ten, units] = match;
  const value = (hundred ? (hundreds ? DIGIT[hundreds]! : 1) * 100 : 0) + (ten ? (tens ? DIGIT[tens]! : 1) * 10 : 0) +
    (units ? DIGIT[units]! : 0);
  return String(value);
}

export const ZH_NUMBER = "(?:\\d+(?:\\.\\d+)?|[零〇一二两三四五六七八九十百]+)";

/** An object without end marks and particles. */
export function cleanChinese(text: string): string {
  return text.trim().replace(/^[“"「『‘'](.*)[”"」』’']$/, "$1").replace(/[，。！!,.；;：:～~\s]+$/, "")
    .replace(/(?:了|的呢|哦|啊|呀|哟|嘛|吧|呢|啦|喔|就行|就好|就可以|即可|而已)+$/, "").replace(
      /^(?:是|叫|为)(?=\S{2})/,
      "",
    ).trim();
}

/** 绿茶和打羽毛球 → two objects. */
export function chineseList(text: string): string[] {
  return cleanChinese(text).split(/[、，,]\s*(?:还有|以及|和|也)?|(?:还有|以及|跟|和|与|及|或者|或)/).map(cleanChinese)
    .filter((item) => item !== "");
}
