import { many, one } from "./row.ts";

/** What is said of things, accounts, places and dates. */
export const THINGS = [
  one(
    "phone",
    "phone number|phone|mobile|mobile number|telephone|cell|cell number|tel|telephone number|contact number|landline|number",
    "电话|电话号码|手机号|手机|号码|手机号码|联系电话|座机|联系方式|电话是",
    {
      en: "what phone number|how to call|how to reach|what number|which number",
      zh: "电话多少|电话是多少|手机号多少|号码多少|号码是多少|怎么联系|几号打",
    },
  ),
  one(
    "extension",
    "extension|ext|extension number|direct line|office extension|internal number|phone extension|desk phone",
    "分机|分机号|内线|短号|内线号|办公电话|直线|转",
    { en: "what extension|which extension", zh: "分机多少|分机号是多少|短号多少" },
  ),
  one(
    "email",
    "email|e-mail|email address|mail address|mail|e-mail address|mailbox|electronic mail",
    "邮箱|电子邮件|邮件地址|邮箱地址|电邮|电子邮箱|邮件|E-mail",
    { en: "what email|which email|email address", zh: "邮箱是什么|邮箱多少|什么邮箱|哪个邮箱" },
  ),
  one(
    "account",
    "account|username|user name|login|user id|account name|login name|user account|handle",
    "账号|用户名|帐号|账户|登录名|微信号|QQ号|登录账号|户名|微信",
    { en: "what username|which account|what login|what account", zh: "账号是什么|账号多少|用户名是什么|微信号多少" },
  ),
  one(
    "password",
    "password|passcode|pass phrase|passphrase|pin|pin code|wifi password|wi-fi password|key code|access code|code|door code",
    "密码|口令|密码是|PIN|暗号|登录密码|WiFi密码|无线密码|开门密码|门禁密码|解锁码|验证码",
    {
      en: "what password|which password|what pin|what code|which code|what is the code",
      zh: "密码是什么|密码多少|密码是多少|什么密码|口令是什么|密码是啥",
    },
  ),
  one(
    "wifi",
    "wi-fi name|wifi|wi-fi|ssid|network name|wireless network|wlan|wifi network|wifi name",
    "WiFi名|无线网|Wi-Fi|WiFi|无线名称|网络名|无线|wifi名称|无线网络",
    { en: "what wifi|which wifi|which network|what network", zh: "WiFi叫什么|无线网叫什么|连哪个WiFi|网络名是什么" },
  ),
  one(
    "ip",
    "ip address|ip|address on the network|static ip|host address|ipv4|ipv6|internal address|lan address",
    "IP地址|IP|地址IP|内网地址|静态IP|网络地址|局域网地址|ip|固定IP",
    { en: "what ip|which ip|what ip address", zh: "IP是多少|IP多少|IP地址是多少|什么IP" },
  ),
  one(
    "port",
    "port|port number|listens on port|runs on port|tcp port|exposed port|listening port|service port|ssh port",
    "端口|端口号|监听端口|服务端口|SSH端口|跑在…端口|网口|监听",
    { en: "what port|which port|port number", zh: "端口多少|端口是多少|哪个端口|什么端口|端口号是多少" },
  ),
  one(
    "url",
    "url|website|web address|site|link|web page|homepage|domain|domain name",
    "网址|网站|链接|主页|域名|官网|网页|连接地址|站点",
    { en: "what website|which url|what link|what domain", zh: "网址是什么|网站是什么|什么网站|哪个网站|域名是什么" },
  ),
  one(
    "version",
    "version|release|firmware|version number|build|runs version|os version|software version|firmware version",
    "版本|版本号|固件|系统版本|发行版|固件版本|软件版本|升级到",
    { en: "what version|which version|what firmware", zh: "什么版本|哪个版本|版本多少|版本号是多少" },
  ),
  one(
    "model",
    "model|make|make and model|model number|type|brand|product|series|manufacturer|model name",
    "型号|品牌|牌子|款式|什么牌|型号是|机型|车型|厂家|款",
    {
      en: "what model|which model|what brand|what make|which brand|what kind|what type",
      zh: "什么型号|型号是什么|什么牌子|哪个牌子|什么品牌|什么车|什么款|哪款|哪个型号",
    },
  ),
  one(
    "serial_number",
    "serial number|serial|sn|serial no|device id|asset number|registration number|product key|licence key",
    "序列号|编号|SN|设备号|机身号|产品编号|注册码|序号|证书号",
    { en: "what serial number|which serial", zh: "序列号多少|编号多少|序列号是多少|编号是多少" },
  ),
  one(
    "plate",
    "licence plate|license plate|number plate|plate|registration|plate number|car plate|reg number|tag number",
    "车牌|车牌号|牌照|车牌号码|牌号|车号|车牌是|汽车牌照",
    {
      en: "what plate|which plate|what licence plate|what license plate|what registration",
      zh: "车牌多少|车牌号多少|车牌是多少|车牌号是多少|什么车牌",
    },
  ),
  one(
    "id_number",
    "id number|passport number|identity card|social security number|card number|membership number|insurance number|customer number|policy number|tax id|passport",
    "身份证|身份证号|护照号|证件号|卡号|会员号|保单号|护照|客户号|社保号|会员卡号",
    {
      en: "what passport number|what id number|which card number|what membership number",
      zh: "身份证号多少|护照号多少|卡号多少|会员号多少|证件号是多少",
    },
  ),
  one(
    "bank_account",
    "bank account|iban|account number|bank card|bank|sort code|bank details|credit card",
    "银行账号|银行卡|银行卡号|开户行|银行|卡号|信用卡|存折",
    { en: "what iban|which bank|what bank account", zh: "银行卡号多少|哪个银行|什么银行|开户行是哪" },
  ),
  one(
    "room",
    "room|room number|office number|meeting room|seat|seat number|gate|apartment number|flat number|unit|locker",
    "房间|房号|房间号|门牌号|座位|座位号|会议室|教室|几零几|单元|柜号",
    {
      en: "which room|what room|which seat|which gate|what room number|which office",
      zh: "哪个房间|几号房|房间号多少|哪间|什么房间|座位号多少|几号座|哪个会议室",
    },
  ),
  one(
    "floor",
    "floor|storey|story|level|which floor|lives on floor|floor number|stock",
    "楼层|楼|层|几楼|几层|楼层是|第几层|住几楼",
    { en: "which floor|what floor|which level", zh: "几楼|几层|哪一层|哪层楼|第几层" },
  ),
  one(
    "located_in",
    "is in|location|located in|is kept in|is stored in|is at|place|lies in|is on|stands in|parked at|is under|is located at|is located",
    "在|位置|放在|位于|存放|地点|存放在|停在|藏在|搁在|收在|摆在|放|坐落于",
    {
      en:
        "where is|where are|where did i put|where did i park|where are kept|where to find|what location|where's|where can i find",
      zh: "在哪|在哪里|在哪儿|放哪|放在哪|放哪了|停哪|停在哪|位置在|什么地方|搁哪|收哪",
    },
  ),
  one(
    "color",
    "color|colour|is coloured|shade|paint|paint color|hue|tint|is painted",
    "颜色|色|颜色是|色彩|漆|什么色|色号|外观颜色",
    { en: "what color|what colour|which color|which colour", zh: "什么颜色|什么色|哪种颜色|颜色是什么|啥颜色" },
  ),
  one(
    "size",
    "size|shoe size|clothing size|dimensions|measures|is sized|ring size|width|length|fits size|shirt size",
    "尺寸|尺码|大小|鞋码|码|号|码数|规格|长宽|鞋子尺码|衣服尺码",
    {
      en: "what size|which size|how big|how long|how wide|what dimensions",
      zh: "什么尺寸|多大尺寸|几码|多大码|穿多大|穿几码|尺码多少|多长|多宽|什么规格|多大号",
    },
  ),
  one(
    "capacity",
    "capacity|memory|storage|volume|holds|disk size|holds up to|ram|battery capacity",
    "容量|内存|存储|多大容量|装|电池容量|硬盘|空间|体积",
    {
      en: "what capacity|how much storage|how much memory|how many litres",
      zh: "容量多大|多大容量|内存多大|能装多少|多少升",
    },
  ),
  one(
    "temperature",
    "temperature|is set to|thermostat|degrees|heating|setpoint|target temperature|celsius",
    "温度|度数|设定温度|几度|水温|室温|恒温|度",
    { en: "what temperature|how warm|how hot|how cold|how many degrees", zh: "几度|多少度|什么温度|温度多少" },
  ),
  one(
    "price",
    "price|costs|cost|is worth|fee|charge|paid|amount|price tag|rate|was bought for",
    "价格|价钱|多少钱|费用|花了|价|售价|单价|收费|金额|学费|花费",
    {
      en: "how much|what price|what cost|how much did|how expensive|how much cost|what does it cost|what fee",
      zh: "多少钱|价格多少|几块|几块钱|花了多少|多少元|什么价|收费多少|费用多少|贵吗|多贵",
    },
  ),
  one(
    "rent",
    "rent|monthly rent|mortgage|rental|pays rent|house payment|rent price|lease cost",
    "房租|租金|月租|房贷|按揭|租|房租是|月供",
    {
      en: "how much rent|what rent|how much is the rent|how much mortgage",
      zh: "房租多少|租金多少|月租多少|房贷多少|月供多少",
    },
  ),
  one(
    "budget",
    "budget|spending limit|allowance|limit|maximum spend|price limit|cap|pocket money",
    "预算|限额|额度|零花钱|上限|开支上限|经费|预算是",
    { en: "what budget|how much budget|how much can spend", zh: "预算多少|预算是多少|额度多少" },
  ),
  one(
    "quantity",
    "quantity|amount|number of|count|how many|total|pieces|stock level|headcount",
    "数量|个数|几个|多少个|总数|件数|数目|有几|库存",
    { en: "how many|what number of|how much of", zh: "几个|多少个|有多少|几只|几台|几辆|几间" },
  ),
  one(
    "date",
    "date|is on|takes place on|day|scheduled for|due date|appointment date|happens on|on the day",
    "日期|日子|哪天|日|时间定在|定在|举行日期|几号|安排在",
    {
      en: "when|what date|which day|what day|on which date",
      zh: "什么时候|哪天|几号|哪一天|何时|几月几号|哪日|星期几|周几",
    },
  ),
  one(
    "time",
    "time|is at|starts at|begins at|hours|takes place at|o'clock|scheduled at|departs at|leaves at",
    "时间|几点|点|开始时间|开始于|出发时间|时刻|点钟|钟点",
    {
      en: "when|what time|at what time|which hour|what hour|how early|how late",
      zh: "几点|什么时间|什么时候|何时|几点钟|几点开始|啥时候",
    },
  ),
  one(
    "opening_hours",
    "opening hours|is open|opens at|closes at|business hours|visiting hours|office hours|open from",
    "营业时间|开门时间|关门时间|开放时间|上班时间|门诊时间|办公时间|开门",
    {
      en: "when open|when close|opening hours|what hours|what time open|what time close",
      zh: "几点开门|几点关门|营业时间|什么时候开门|几点下班|几点上班|开到几点",
    },
  ),
  one(
    "duration",
    "duration|lasts|takes|length of time|how long it takes|runs for|period|time needed",
    "时长|持续|多久|多长时间|用时|期限|历时|耗时",
    { en: "how long|how much time|what duration|for how long", zh: "多久|多长时间|多少天|几天|几个小时|几小时|要多久" },
  ),
  one(
    "frequency",
    "frequency|how often|every|times a week|repeats|interval|schedule|happens every",
    "频率|多久一次|每周|每月|隔|周期|次数|每隔",
    { en: "how often|how many times|how frequently", zh: "多久一次|几次|隔几天|每周几次|多长时间一次" },
  ),
  one(
    "expiry",
    "expiry date|expires on|expiry|expires|expiration date|best before|use by|valid until|good until|shelf life|runs out on",
    "到期|过期|保质期|有效期|到期日|截止日期|有效期至|过期时间|失效|到期时间",
    {
      en: "when expire|when does expire|how long valid|until when|expiry date|when run out",
      zh: "什么时候到期|什么时候过期|哪天到期|几号到期|保质期到|有效期到|保质期多久|何时到期|何时过期",
    },
  ),
  one(
    "deadline",
    "deadline|due|is due|due by|must be done by|cut-off|submission date|closing date|last day",
    "截止|截止时间|期限|最晚|截止日|限期|交|最后期限|ddl",
    {
      en: "when due|what deadline|by when|when deadline",
      zh: "什么时候截止|截止到|最晚什么时候|哪天截止|几号截止|何时截止",
    },
  ),
  one(
    "warranty",
    "warranty|guarantee|is under warranty until|warranty ends|warranty period|guaranteed until|warranty until|service contract",
    "保修|保修期|质保|保修到|质保期|保修截止|三包|维保|保修期到",
    {
      en: "how long warranty|when warranty|still under warranty|what warranty|until when warranty",
      zh: "保修多久|保修到什么时候|保修期多长|还在保吗|质保到|保修几年",
    },
  ),
  one(
    "insurance",
    "insurance|insurer|insured with|insurance company|insurance policy|covered by|health insurance|car insurance",
    "保险|保险公司|车险|投保|医保|保单|承保|险种|社保",
    { en: "which insurance|what insurance|who insures|which insurer", zh: "什么保险|哪家保险|保险公司是|买的什么保险" },
  ),
  one(
    "supplier",
    "supplier|provider|vendor|is supplied by|bought from|shop|delivered by|operator|carrier|isp|utility|dealer",
    "供应商|运营商|宽带|商家|供货商|店家|卖家|买自|在哪买|宽带商|厂商|店",
    {
      en: "which supplier|who supplies|which provider|where buy|where bought|which shop|who delivers|what provider",
      zh: "哪家供应商|供应商是谁|哪家买的|在哪买|哪里买|哪家店|谁家的|哪个运营商|谁送",
    },
  ),
  one(
    "parcel",
    "parcel|tracking number|package|delivery|shipment|courier|order number|pickup code|tracking code",
    "快递|快递单号|取件码|包裹|订单号|运单号|单号|物流|快递公司",
    {
      en: "what tracking number|which parcel|what pickup code|which courier|what order number",
      zh: "快递单号多少|取件码多少|订单号多少|取件码是多少|哪家快递|快递到哪",
    },
  ),
  one(
    "flight",
    "flight|train|flight number|train number|seat on|departure|bus|ferry|boarding",
    "航班|车次|航班号|火车|高铁|班次|列车|机票|飞机",
    {
      en: "which flight|what flight|which train|what train|what flight number",
      zh: "哪个航班|航班号多少|什么航班|哪趟车|车次多少|几次列车|哪班飞机",
    },
  ),
  one(
    "hotel",
    "hotel|stays at|accommodation|booked at|hostel|guesthouse|inn|airbnb|lodging",
    "酒店|旅馆|住宿|宾馆|民宿|旅店|入住|下榻",
    {
      en: "which hotel|what hotel|where stay|where staying",
      zh: "哪家酒店|什么酒店|住哪家|哪个酒店|哪家旅馆|住什么酒店",
    },
  ),
  many(
    "owns",
    "owns|has|possesses|drives|bought|own|have|has got|got|is the owner of|car",
    "有|拥有|买了|开|名下|车|家里有|持有|入手|用",
    {
      en: "what own|what do i have|what car|which car|what drive|what have",
      zh: "有什么|什么车|开什么车|买了什么|有哪些|有几个|用什么",
      inverse: "owner",
    },
  ),
  one(
    "owner",
    "owner|belongs to|is owned by|property of|whose|holder|proprietor|possessor",
    "主人|属于|归|所有者|拥有者|是谁的|物主|车主|持有人",
    {
      en: "whose|who owns|who does belong to|belongs to whom",
      zh: "是谁的|谁的|属于谁|归谁|主人是谁",
      inverse: "owns",
    },
  ),
  many(
    "ingredient",
    "ingredient|contains|made with|is made of|recipe|consists of|material|made from|fabric",
    "配料|成分|材料|食材|含有|材质|配方|原料|做法",
    {
      en: "what ingredients|made of what|what material|what contains|what's in",
      zh: "什么材料|什么材质|配料有哪些|什么成分|用什么做|什么做的",
    },
  ),
  many(
    "event",
    "event|appointment|meeting|anniversary|wedding|party|plan for|exam|interview|wedding anniversary",
    "活动|预约|会议|纪念日|婚礼|聚会|考试|面试|约会|日程|结婚纪念日",
    {
      en: "what event|which appointment|what meeting|when anniversary",
      zh: "什么活动|什么安排|有什么会|纪念日是哪天|什么预约",
    },
  ),
  many(
    "task",
    "task|to do|has to|must|needs to|todo|chore|should|errand",
    "任务|待办|要做|需要|必须|事情|家务|要办的事|作业",
    { en: "what to do|what task|what need to do|what must", zh: "要做什么|什么任务|有什么事|待办有哪些|需要做什么" },
  ),
  many(
    "team",
    "team|supports team|club|member of|plays for|belongs to team|department|is a member of|group|party",
    "球队|俱乐部|团队|部门|成员|加入|支持的球队|社团|队|小组",
    {
      en: "which team|what team|which club|what club|which department",
      zh: "哪个队|什么队|哪个部门|支持哪个队|哪个俱乐部|什么部门",
    },
  ),
  many(
    "book",
    "book|reads|reading|author|film|series|watches|song|game|novel|plays game",
    "书|在读|在看|电影|小说|电视剧|歌|游戏|看的书|追的剧",
    {
      en: "what book|what reading|which film|what watching|which series|which book|what song",
      zh: "什么书|看什么书|在看什么|在读什么|什么电影|追什么剧|哪本书|什么歌",
    },
  ),
  one(
    "reason",
    "reason|because|cause|purpose|is for|is used for|why|explanation",
    "原因|因为|理由|用途|用来|目的|缘故|为什么",
    { en: "why|what for|what reason|for what", zh: "为什么|为啥|怎么回事|什么原因|干嘛用|做什么用" },
  ),
  one(
    "status",
    "status|state|is broken|is repaired|condition|works|is finished|progress|current state",
    "状态|情况|坏了|修好了|进度|现状|完成了|进展|状况",
    {
      en: "what status|how is|what state|what condition|how far",
      zh: "什么状态|怎么样了|什么情况|进度如何|怎么样|修好了吗",
    },
  ),
];
