import { many, one } from "./row.ts";

/** What is said of a person alone: who, where, what they do, like and have. */
export const SELF = [
  one(
    "name",
    "is named|name|full name|is called|goes by|called|named|real name|my name is",
    "名字|叫|姓名|名叫|全名|大名|真名|叫做|名字叫|名字是|名为",
    {
      en: "what is the name|what's the name|who am i|what am i called|whats my name",
      zh: "叫什么|叫啥|什么名字|怎么称呼|是谁|叫什么名字|贵姓",
    },
  ),
  many(
    "nickname",
    "nickname|also known as|aka|pet name|handle|short for|alias|known as|is nicknamed",
    "小名|外号|昵称|绰号|别名|乳名|花名|又叫|也叫|网名",
    {
      en: "what do people call|nickname",
      zh: "小名叫什么|外号叫什么|昵称是什么",
    },
  ),
  one(
    "surname",
    "surname|last name|family name|maiden name|second name|lastname|family's name|patronym",
    "姓|姓氏|贵姓|姓什么|家姓|本姓|娘家姓|姓名的姓",
    {
      en: "what is the surname|last name",
      zh: "姓什么|姓啥|贵姓",
    },
  ),
  one(
    "lives_in",
    "lives in|live in|living in|residence|moved to|resides in|based in|home town now|city|lives at|stays in|relocated to|settled in",
    "住在|居住地|搬到|住址城市|现居|居住在|定居|定居在|搬去|搬家到|常住|家在|住|住到|在…住",
    {
      en: "where do i live|where does|where is home|which city|what city|where live|where am i living|which town",
      zh: "住哪|住在哪|住哪里|住哪儿|在哪里住|哪个城市|家在哪|住什么地方|现在住|搬到哪|搬去哪",
    },
  ),
  one(
    "hometown",
    "comes from|is from|hometown|home town|grew up in|originally from|native of|born in|birthplace|place of birth",
    "老家|家乡|籍贯|来自|出生地|老家在|故乡|祖籍|出生在|出生于|长大的地方",
    {
      en: "where is he from|where am i from|where from|where did i grow up|where was i born|where does come from",
      zh: "哪里人|哪儿人|老家在哪|来自哪里|什么地方人|在哪出生|从哪来",
    },
  ),
  one(
    "nationality",
    "nationality|citizenship|citizen of|passport country|national of|is a citizen of|country of citizenship|nation",
    "国籍|公民|哪国人|护照国家|国别|入籍|持有国籍|国家",
    {
      en: "which nationality|what nationality|which passport",
      zh: "什么国籍|哪国人|哪个国家的人",
    },
  ),
  one(
    "address",
    "address|home address|street address|postal address|mailing address|lives at number|house address|shipping address",
    "地址|住址|家庭地址|家庭住址|收货地址|详细地址|通讯地址|门牌|门牌号|邮寄地址",
    {
      en: "what is the address|which address|which street|where to send|what street",
      zh: "地址是什么|地址是多少|地址在哪|寄到哪|住址是",
    },
  ),
  one(
    "age",
    "age|is aged|years old|is … years old|turned|year-old|aged|turns|current age",
    "年龄|岁|岁数|年纪|今年…岁|周岁|虚岁|多大|几岁",
    {
      en: "how old|what age|which age",
      zh: "多大|几岁|多少岁|多大了|几岁了|多大年纪|年龄是多少|什么年纪",
    },
  ),
  one(
    "birthday",
    "birthday|date of birth|born on|birth date|birthdate|was born on|bday|dob|day of birth",
    "生日|出生日期|出生|出生于|生辰|生日是|诞辰|过生日|出生年月",
    {
      en: "when is the birthday|when was born|when birthday|what day was born|birthday",
      zh: "生日是什么时候|哪天生日|什么时候生日|几号生日|生日哪天|生日是哪天|几月几号生|哪年出生|什么时候出生",
    },
  ),
  one(
    "gender",
    "gender|sex|is male|is female|pronouns|man or woman|boy or girl|identifies as",
    "性别|男的|女的|男女|男生|女生|是男是女|性別",
    {
      en: "what gender|boy or girl|male or female",
      zh: "男的女的|是男是女|什么性别",
    },
  ),
  one(
    "height",
    "height|is tall|body height|stands|how tall|cm tall|tall|metres tall",
    "身高|个子|多高|个头|高度|身长|身高是|净身高",
    {
      en: "how tall|what height|how high",
      zh: "多高|身高多少|有多高",
    },
  ),
  one(
    "weight",
    "weight|weighs|weigh|body weight|weighing|how heavy|kilos|is heavy|mass",
    "体重|重量|重|多重|净重|毛重|份量|分量",
    {
      en: "how heavy|how much does weigh|what weight",
      zh: "多重|体重多少|有多重|几斤|多少斤",
    },
  ),
  one(
    "blood_type",
    "blood type|blood group|type of blood|bloodtype|rh factor|blood is|blood class|abo type",
    "血型|血型是|什么血|血液类型|血型为|RH血型|血|ABO血型",
    {
      en: "what blood type|which blood type|blood type",
      zh: "什么血型|血型是什么|血型是啥",
    },
  ),
  one(
    "zodiac",
    "zodiac sign|star sign|sign|horoscope|chinese zodiac|astrological sign|born in the year of|sun sign",
    "星座|属相|生肖|属|属什么|本命年|星象|属性相",
    {
      en: "what star sign|which zodiac|what sign",
      zh: "什么星座|属什么|什么属相|属啥",
    },
  ),
  one(
    "marital_status",
    "marital status|is married|is single|is divorced|engaged|is widowed|relationship status|married",
    "婚姻状况|已婚|未婚|离异|单身|结婚了|婚否|离婚了",
    {
      en: "is married|am i married|single or married",
      zh: "结婚了吗|结婚没|单身吗|婚姻状况",
    },
  ),
  one(
    "job",
    "works as|job|occupation|profession|is employed as|job title|role|position|career|does for a living|trade|post",
    "职业|工作|工作是|岗位|职位|职务|干|从事|做…工作|当|担任|行业",
    {
      en:
        "what do i do|what does do|for a living|what is the job|what job|what work|what's the profession|which profession|line of work",
      zh:
        "做什么工作|干什么的|什么工作|什么职业|做什么的|干嘛的|做哪行|干哪行|是做什么|工作是什么|干啥的|做啥的|从事什么",
    },
  ),
  one(
    "works_at",
    "works at|employer|works for|company|employed by|employed at|firm|workplace|joined|is with|working at|office",
    "工作单位|在…工作|公司|单位|就职于|任职于|供职于|上班的地方|就职|任职|雇主|入职|在…上班",
    {
      en: "where do i work|where does work|which company|what company|who does work for|who do i work for|employer",
      zh: "在哪工作|在哪里工作|在哪上班|在哪儿上班|哪家公司|什么公司|什么单位|哪个公司|哪个单位|在哪里上班",
    },
  ),
  one(
    "salary",
    "salary|wage|pay|income|earns|paid|monthly pay|annual income|makes",
    "工资|薪水|收入|月薪|年薪|薪资|挣|薪酬|待遇",
    {
      en: "how much earn|how much do i make|what salary",
      zh: "工资多少|挣多少|月薪多少|收入多少",
    },
  ),
  one(
    "school",
    "school|goes to school at|studies at|attends|university|college|enrolled at|student at|kindergarten|is a student at|alma mater",
    "学校|就读于|上学的地方|在…上学|在…读书|大学|中学|小学|幼儿园|高中|母校|读|上",
    {
      en:
        "which school|what school|where does study|where study|which university|what university|where did go to school",
      zh: "哪个学校|什么学校|在哪上学|在哪读书|哪所学校|哪所大学|在哪里上学|在哪里读书|读哪|上哪个",
    },
  ),
  one(
    "major",
    "studies|major|field of study|subject of study|majoring in|degree in|specialises in|studying|course",
    "专业|学|主修|学科|学的是|专业是|读的专业|攻读",
    {
      en: "what study|what major|which subject",
      zh: "学什么|什么专业|学的什么|读什么专业",
    },
  ),
  one(
    "school_class",
    "class|grade|form|is in grade|year at school|is in class|classroom|school year|homeroom",
    "班级|年级|班|几班|几年级|所在班级|在…班|班号|读…年级",
    {
      en: "which class|what grade|which grade|what class",
      zh: "哪个班|几年级|几班|什么班|读几年级|上几年级",
    },
  ),
  many(
    "education",
    "education|degree|highest degree|graduated from|qualification|diploma|graduate of|certificate",
    "学历|学位|毕业于|文凭|毕业院校|最高学历|证书|毕业",
    {
      en: "what degree|where graduate|which degree",
      zh: "什么学历|哪里毕业|哪毕业|什么学位|毕业于哪",
    },
  ),
  many(
    "speaks",
    "speaks|language|languages|fluent in|mother tongue|native language|can speak|native speaker of",
    "会说|语言|母语|讲|说|懂|外语|方言|会讲",
    {
      en: "which language|what language|which languages|what languages",
      zh: "会说什么语言|说什么语言|会哪些语言|会什么语言|母语是什么|会讲什么",
    },
  ),
  many(
    "likes",
    "likes|enjoys|loves|is fond of|is into|is a fan of|adores|prefers|is keen on|like|love|enjoy|is crazy about|has a soft spot for",
    "喜欢|爱|喜爱|爱好|热爱|爱吃|爱喝|喜欢吃|喜欢喝|偏爱|钟爱|迷上了|热衷于|中意",
    {
      en: "what like|what do i like|what does like|what enjoy|what love|what interests|which do i like|prefer",
      zh: "喜欢什么|爱吃什么|爱喝什么|喜欢吃什么|喜欢喝什么|喜欢啥|爱好什么|喜欢哪些|喜欢谁|爱什么|喜欢干什么",
    },
  ),
  many(
    "dislikes",
    "dislikes|hates|can't stand|does not like|doesn't like|detests|is not a fan of|cannot stand|don't like|loathes|is not keen on|avoids|does not eat|does not drink|does not smoke",
    "不喜欢|讨厌|不爱|厌恶|反感|受不了|不爱吃|不吃|不喝|不抽|不喜欢吃|烦|嫌",
    {
      en: "what dislike|what hate|what don't like|what can't stand|what not like|what avoid",
      zh: "讨厌什么|不喜欢什么|不爱吃什么|不吃什么|不喜欢吃什么|讨厌啥|不喝什么",
    },
  ),
  many(
    "hobby",
    "hobby|hobbies|pastime|interest|spends free time|free time|interests|is passionate about|leisure|sport|plays|collects|practises|practices|is learning",
    "爱好|兴趣|业余爱好|特长|消遣|兴趣爱好|空闲|运动|嗜好",
    {
      en: "what hobby|what hobbies|what do for fun|what interests|what sport",
      zh: "什么爱好|爱好是什么|有什么兴趣|有什么爱好|兴趣是什么",
      broader: "likes",
    },
  ),
  many(
    "allergic_to",
    "is allergic to|allergy|allergies|allergic to|allergen|intolerant to|intolerance|reacts to|cannot eat|can't eat",
    "过敏|对…过敏|过敏源|过敏原|过敏史|不耐受|忌口|忌食|不能吃",
    {
      en: "what allergic|allergic to what|which allergy|what allergies|what can't eat|what cannot eat",
      zh: "对什么过敏|过敏什么|什么过敏|有什么过敏|不能吃什么|对啥过敏|忌口什么|哪些过敏",
    },
  ),
  many(
    "illness",
    "has illness|suffers from|illness|condition|disease|diagnosis|diagnosed with|medical condition|ailment",
    "病|患有|得了|疾病|病症|病史|诊断|确诊|毛病",
    {
      en: "what illness|what disease|what condition",
      zh: "什么病|得了什么病|有什么病",
    },
  ),
  many(
    "medicine",
    "takes medicine|medication|medicine|prescription|pill|drug|dose|tablet|takes",
    "吃药|药|服药|用药|药物|药品|处方|剂量|吃的药",
    {
      en: "what medicine|which medication|what pills|which pills",
      zh: "吃什么药|什么药|用什么药|服什么药",
    },
  ),
  many(
    "diet",
    "diet|is vegetarian|is vegan|eats|eating habit|does not eat meat|halal|kosher|dietary",
    "饮食|吃素|素食|饮食习惯|口味|忌口|清真|吃得",
    {
      en: "what eat|which diet|what diet",
      zh: "吃素吗|什么口味|饮食习惯",
    },
  ),
  many(
    "favourite",
    "favourite|favorite|best liked|most liked|preferred|number one|top choice|go-to|likes best|likes most",
    "最喜欢|最爱|最喜欢的|最爱的|首选|最中意|最喜爱|心头好|最喜欢吃",
    {
      en: "what favourite|what favorite|which favourite|which favorite|like best|like most",
      zh: "最喜欢什么|最爱什么|最喜欢哪|最喜欢的|最爱吃什么|最爱的",
      broader: "likes",
    },
  ),
  many(
    "religion",
    "religion|faith|believes in|is religious|belief|church|worships|denomination",
    "宗教|信仰|信|信教|教派|教会|信奉|宗教信仰",
    {
      en: "what religion|which religion|what faith",
      zh: "什么宗教|信什么|什么信仰",
    },
  ),
  many(
    "skill",
    "can|is good at|skill|skilled in|ability|knows how to|plays|is able to|talent|expertise",
    "会|擅长|技能|拿手|能|本事|专长|精通|特长",
    {
      en: "what can do|good at what|what skills",
      zh: "擅长什么|会什么|有什么技能|拿手什么",
    },
  ),
  many(
    "goal",
    "wants|goal|plan|wish|aim|dream|plans to|hopes to|intends to|target",
    "目标|计划|愿望|想要|打算|梦想|心愿|理想|希望",
    {
      en: "what goal|what plan|what wish|what want",
      zh: "什么目标|什么计划|想要什么|打算做什么|什么愿望",
    },
  ),
  many(
    "habit",
    "habit|usually|routine|every day|always|tends to|regularly|custom",
    "习惯|通常|每天|一般|总是|经常|惯例|作息",
    {
      en: "what habit|what usually|which routine",
      zh: "什么习惯|通常做什么|每天做什么",
    },
  ),
];
