/** Sentences that come from every room, in Chinese. Errors cross threads, processes and the socket in English; here, where
 * they reach the person, those that people meet are told in their language. `{…}` stands for any text; a `{reason}`,
 * `{expected}`, `{instead}` or `{fix}` that is itself a row of the table is put into Chinese too. @module */
import type { Language } from "./language.ts";

/** English as it is thrown, and the same in Chinese with the same names. */
export const CHINESE: readonly (readonly [en: string, zh: string])[] = [
  // The command line.
  ['There is no verb "{name}"', "没有 “{name}” 这个命令"],
  ['There is no option "{name}"', "没有 “{name}” 这个选项"],
  ["homed help lists the verbs", "homed help 列出所有命令"],
  ["did you mean {name}? homed help lists the verbs", "是想用 {name} 吗？homed help 列出所有命令"],
  ["{option} takes no value", "{option} 不带值"],
  ["{option} needs a value ({value})", "{option} 需要一个值（{value}）"],
  ["{option} is given twice", "{option} 给了两次"],
  ["homed {verb} needs to know what to do", "homed {verb} 缺少子命令"],
  ['homed {verb} cannot "{sub}"', "homed {verb} 没有子命令 “{sub}”"],
  ["it is one of {list}", "可用的有 {list}"],
  ["Something is missing", "缺少参数"],
  ['"{word}" is too much', "多余的参数 “{word}”"],
  ['"{text}" is no count', "“{text}” 不是数量"],
  ["--top takes a whole number from 1 to 1000", "--top 要 1 到 1000 的整数"],
  ["There is nothing to say", "没有要发送的内容"],
  ['homed chat "a text", or a text on stdin', "homed chat “文本”，或从标准输入给出文本"],
  ["{path} is in use: restoring puts the backup in its place", "{path} 已有内容：恢复会用备份取代它"],
  ["say --yes; what is there is kept in backups/", "加上 --yes；原有内容会保存在 backups/"],
  ['Forgetting "{name}" ({counts}) cannot be undone', "忘记 “{name}”（{counts}）无法撤销"],
  ["say --yes", "加上 --yes"],
  ['There is no language "{name}"', "没有 “{name}” 这种语言"],
  // Homes and daemons.
  ["No homed is running for {path}", "{path} 没有正在运行的 homed"],
  ["start it with `homed serve`", "用 homed serve 启动"],
  [
    "Another homed (process {pid}, since {at}) is using this home",
    "另一个 homed（进程 {pid}，启动于 {at}）正在使用本主目录",
  ],
  ["Another homed is using this home", "另一个 homed 正在使用本主目录"],
  ["talk to it with `homed chat`, or end it with `homed stop`", "用 homed chat 与它对话，或用 homed stop 停止它"],
  ["Cannot use {path} as the home folder: {place}: {reason}", "无法把 {path} 用作主目录：{place}：{reason}"],
  ["Cannot use {path} as the home folder: {reason}", "无法把 {path} 用作主目录：{reason}"],
  ["{path} is a folder, not a file", "{path} 是文件夹，不是文件"],
  [
    "name another with --home DIR or HOMED_HOME, or make it a folder that you may write",
    "用 --home 或 HOMED_HOME 指定别的目录，或让它成为你可写的文件夹",
  ],
  ["move it away, or name another home with --home DIR", "把它移走，或用 --home 指定别的主目录"],
  ["Cannot tell where the home folder is, as {variable} is not set", "不知道主目录在哪里：没有设置 {variable}"],
  ["name one with --home DIR or HOMED_HOME", "用 --home 或 HOMED_HOME 指定一个"],
  [
    "This home was used by homed {old} (schema {schema}); this homed {new} knows schemas up to {most}",
    "本主目录由 homed {old} 使用过（结构版本 {schema}）；当前 homed {new} 只支持到版本 {most}",
  ],
  ["use homed {version} or newer, or another home", "请使用 homed {version} 或更新的版本，或换一个主目录"],
  [
    "Cannot bring this home from schema {from} to {to}: {reason}. Nothing was changed",
    "无法把主目录从结构版本 {from} 升级到 {to}：{reason}。没有任何改动",
  ],
  ["go on with homed {version}, and report this", "请继续使用 homed {version}，并报告这个问题"],
  [
    "Cannot join the homed of this home: its socket belongs to another user",
    "无法连接本主目录的 homed：套接字属于别的用户",
  ],
  ["run this as the user who runs homed", "请用运行 homed 的用户执行"],
  ["homed (process {pid}) was told to stop and is still there", "已让 homed（进程 {pid}）停止，但它还在运行"],
  ["end it with kill {pid}", "用 kill {pid} 结束它"],
  ["homed is stopping", "homed 正在停止"],
  ["The client went away: {reason}", "客户端已断开：{reason}"],
  ["Cannot reach homed: {reason}", "无法连接 homed：{reason}"],
  ["the other side closed the stream", "对方关闭了连接"],
  [
    "homed has {count} clients already (core.daemon.max_clients)",
    "homed 已有 {count} 个客户端（core.daemon.max_clients）",
  ],
  ["The kernel was lost while it worked on this message", "处理这条消息时内核中断了"],
  ["the message is kept; ask again, or say that it should go on", "消息已保存；请再问一次，或让它继续"],
  ["{count} messages wait already: try again later", "已有 {count} 条消息在等待：请稍后再试"],
  // Settings.
  ['There is no setting "{key}"', "没有 “{key}” 这个设置"],
  ["homed config list shows every setting", "homed config list 列出所有设置"],
  ["did you mean {key}?", "是想用 {key} 吗？"],
  ["{value} cannot be the value of {key}: it must be {expected}", "{value} 不能作为 {key} 的值：应为{expected}"],
  ["{variable} is not used: {reason}", "{variable} 未被采用：{reason}"],
  ["a whole number from {min} to {max}", " {min} 到 {max} 的整数"],
  ["a number from {min} to {max}", " {min} 到 {max} 的数"],
  [
    "a duration such as 500ms, 30s, 10m, 2h or 7d from {min} to {max}",
    "时长（如 500ms、30s、10m、2h、7d），从 {min} 到 {max}",
  ],
  ["a duration such as 500ms, 30s, 10m, 2h or 7d", "时长（如 500ms、30s、10m、2h、7d）"],
  ["one of {list}", "以下之一：{list}"],
  ["true or false", " true 或 false"],
  ["auto or the name of a source: {list}", " auto 或某个来源的名字：{list}"],
  ["the name of a source: {list}", "某个来源的名字：{list}"],
  [
    "a source of your own begins with homed config set {key} ADDRESS",
    "自己的来源先用 homed config set {key} 地址 建立",
  ],
  ["homed config list core.llm.sources shows every source", "homed config list core.llm.sources 列出所有来源"],
  ['{key} is "{name}", which is no source', "{key} 是 “{name}”，但没有这个来源"],
  ['{key} is "{name}", a source that is not set up', "{key} 是 “{name}”，但这个来源还没有配置好"],
  [
    "give it what it needs (homed config list {source}), or homed config unset {key}",
    "补全它的设置（homed config list {source}），或运行 homed config unset {key}",
  ],
  [
    "The embedding model {path} cannot be used, as {reason}; {instead}",
    "无法使用向量模型 {path}：{reason}；{instead}",
  ],
  ["Cannot use the embedding model {path}: {reason}: {instead}", "无法使用向量模型 {path}：{reason}；{instead}"],
  ["memory finds by words", "记忆按词语检索"],
  ["the other models are used", "使用其余的模型"],
  ["it is empty", "它是空的"],
  ["the folder holds no model: {list} is missing", "文件夹里没有模型：缺少 {list}"],
  [
    "name a file of word vectors, a model folder or a known model with homed config set {key}, or unset it",
    "用 homed config set {key} 指定词向量文件、模型文件夹或已知模型的名字，或取消该设置",
  ],
  [
    "The working folder {path} cannot be used, as {reason}; commands are refused",
    "无法使用工作目录 {path}：{reason}；命令会被拒绝",
  ],
  ["{key} is for no tool that is there now", "{key} 不对应任何现有的工具"],
  [
    "/tools in `homed chat` lists the tools; homed config unset {key} takes it back",
    "在 homed chat 中用 /tools 列出工具；用 homed config unset {key} 取消",
  ],
  ["it does not begin at the root", "它不是绝对路径"],
  [
    "name a folder that is there with homed config set {key}, or unset it",
    "用 homed config set {key} 指定一个已有的文件夹，或取消该设置",
  ],
  ["an address that begins with http:// or https://", "以 http:// 或 https:// 开头的地址"],
  ["{key} changes only by your own hand, not by a tool or a plugin", "{key} 只能由你本人修改，工具和插件不能改"],
  ["homed config set {key} VALUE, or the settings page", "用 homed config set {key} 值，或在设置页面修改"],
  // Files.
  ["Cannot read {path}: {reason}", "无法读取 {path}：{reason}"],
  ["Cannot write {path}: {reason}", "无法写入 {path}：{reason}"],
  ["Cannot use {path}: {reason}", "无法使用 {path}：{reason}"],
  ["name a file that you can read", "请指定一个可读的文件"],
  ["name a file in a folder that you may write, with enough room", "请指定一个可写且空间足够的文件夹中的文件"],
  ["it is no file", "它不是文件"],
  ["it is in the home folder", "它在主目录之内"],
  ["name a file elsewhere, or in backups/ of the home", "请指定主目录之外的文件，或放在主目录的 backups/ 里"],
  ["it is no folder", "它不是文件夹"],
  ["Cannot attach {path}: {reason}", "无法附上 {path}：{reason}"],
  ["it is neither an image nor audio that homed knows", "它不是 homed 认识的图像或音频"],
  [
    "attach PNG, JPEG, GIF, WebP, WAV, MP3, OGG, FLAC or M4A",
    "请附上 PNG、JPEG、GIF、WebP、WAV、MP3、OGG、FLAC 或 M4A",
  ],
  ["The attached files have {size} MB", "附件共 {size} MB"],
  ["attach at most 5 MB to one message", "一条消息最多附 5 MB"],
  ["Cannot write the backup {path}: {reason}", "无法写入备份 {path}：{reason}"],
  ["Cannot restore {path}: {reason}. Nothing was changed", "无法恢复 {path}：{reason}。没有任何改动"],
  ["name a file that `homed backup` made", "请指定由 homed backup 生成的文件"],
  ["Cannot add {path}: it is no text in UTF-8", "无法添加 {path}：它不是 UTF-8 文本"],
  ["convert it to UTF-8 text", "请先转换成 UTF-8 文本"],
  [
    '"{name}" cannot name an entry: a name has no / or \\, and does not begin with a dot',
    "“{name}” 不能用作条目名：名称不能含 / 或 \\，也不能以点开头",
  ],
  [
    "Nothing was imported from {path}: {count} lines were rejected, line {line} as {reason}",
    "没有从 {path} 导入任何内容：{count} 行被拒绝，第 {line} 行：{reason}",
  ],
  [
    "name a file that `homed memory export` made, or one in its format",
    "请指定由 homed memory export 生成的文件，或同格式的文件",
  ],
  // What the system says.
  ["there is no such file or folder", "没有这个文件或文件夹"],
  ["you may not use it", "没有权限"],
  ["it is a folder, not a file", "它是文件夹，不是文件"],
  ["a part of its path is no folder", "路径中有一部分不是文件夹"],
  ["something else of that name is there", "同名的东西已经存在"],
  ["its name is too long", "名称太长"],
  ["its file system is read-only", "文件系统是只读的"],
  ["the disk is full", "磁盘已满"],
  ["the disk quota is used up", "磁盘配额已用完"],
  ["the disk is full or broken", "磁盘已满或损坏"],
  ["the disk cannot be read or written", "磁盘无法读写"],
  ["too many files are open", "打开的文件太多"],
  ["Cannot go on: {reason}", "无法继续：{reason}"],
  ["Cannot serve the socket at {path}: {reason}", "无法在 {path} 提供套接字：{reason}"],
  [
    "set another place with `homed config set core.daemon.socket PATH`, or unset it",
    "用 homed config set core.daemon.socket 路径 换一个位置，或取消该设置",
  ],
  ["it is not a place for the memory", "它不能用来存放记忆"],
  [
    "set core.memory.* and core.knowledge.path to folders of their own: homed config list core.memory",
    "请把 core.memory.* 和 core.knowledge.path 设为专用文件夹：homed config list core.memory",
  ],
  ["the database cannot be opened", "数据库无法打开"],
  ["look at the path and its permissions", "请检查路径和权限"],
  ["make room on the disk", "请清理磁盘空间"],
  ["make room on the disk: homed cannot keep what it cannot write", "请清理磁盘空间：写不进去就记不住"],
  ["look at the path", "请检查路径"],
  ["move it away, or name another", "把它移走，或另指定一个"],
  ["make it writable, or use another folder", "让它可写，或换一个文件夹"],
  ["run this as its owner, or change its permissions", "请以其所有者身份运行，或修改权限"],
  ["change its permissions", "请修改它的权限"],
  ["use a shorter path", "请用更短的路径"],
  // Memory, plugins, sources, the service.
  [
    "There is nothing to take back: changes are kept for thirty days（没有可以撤销的操作）",
    "没有可以撤销的操作：改动保留三十天",
  ],
  [
    'There is nothing to take back under "{id}": changes are kept for thirty days（没有可以撤销的操作）',
    "“{id}” 没有可以撤销的操作：改动保留三十天",
  ],
  ["`{name}` must be a text that is not empty", "{name} 必须是非空文本"],
  ['There is no plugin "{name}"', "没有插件 “{name}”"],
  ["The package is refused: {reason}", "插件包被拒绝：{reason}"],
  ["it is no ZIP archive, or cut", "它不是 ZIP 文件，或不完整"],
  [
    'There is no adapter "{name}": neither a built-in one nor {file} in adapters/',
    "没有适配器 “{name}”：既不是内置的，adapters/ 里也没有 {file}",
  ],
  ["homed doctor --online tries each source", "homed doctor --online 会逐个尝试来源"],
  ["There is no service at {path}", "{path} 没有服务"],
  ["homed service install makes it", "用 homed service install 安装"],
  ['"{command}" failed: {reason}', "“{command}” 失败：{reason}"],
  ["run that command yourself to see why", "请自己运行这个命令看原因"],
  // The doctor.
  ["home folder", "主目录"],
  ["privacy", "隐私"],
  ["disk", "磁盘"],
  ["clock", "时钟"],
  ["settings", "设置"],
  ["worker {name}", "部件 {name}"],
  ["memory", "记忆"],
  ["sources", "模型来源"],
  ["source {name}", "来源 {name}"],
  ["plugins", "插件"],
  ["plugin {name}", "插件 {name}"],
  ["only you can read it", "只有你能读取"],
  ["others can read {list}", "其他人能读取 {list}"],
  ["{size} MB free", "剩余 {size} MB"],
  ["make room: homed cannot remember what it cannot write", "请清理空间：写不进去就记不住"],
  ["set the clock: times are stored", "请校准时钟：时间会被记录"],
  ["every value fits", "所有值都有效"],
  [
    "set it anew with `homed config set`, or take it back with `homed config unset`; correct a variable where it is set",
    "用 homed config set 重新设置，或用 homed config unset 取消；环境变量请在设置处改正",
  ],
  ["whole", "完好"],
  ["damaged", "已损坏"],
  [
    "homed stop, then start it again: the copy of the last change takes its place",
    "先 homed stop 再启动：会换用上次更改时的副本",
  ],
  ["homed stop, then start it again", "先 homed stop 再启动"],
  ["it may do what it should, and nothing else", "权限恰如所需，没有更多"],
  ["it may do more than it should: {list}", "权限过多：{list}"],
  ["it may do less than it should: {list}", "权限不足：{list}"],
  ["stop using this homed and report this: a boundary does not hold", "请停用并报告：边界失效了"],
  [
    "{entities} entities, {facts} current facts, {documents} documents",
    "{entities} 个实体，{facts} 条当前事实，{documents} 份文档",
  ],
  ["look at logs/homed.log; `homed restore` brings a backup back", "请看 logs/homed.log；homed restore 可恢复备份"],
  ["embedding model", "向量模型"],
  ["{name}: {count} texts wait for their vectors", "{name}：还有 {count} 段文字等待向量"],
  ["{name} is in use", "正在使用 {name}"],
  ["{name} is being downloaded: memory finds by words until then", "正在下载 {name}：在此之前按词语检索"],
  ["none is set: memory finds by words", "未设置：按词语检索"],
  ["none is in use: memory finds by words", "没有可用的：按词语检索"],
  [
    "none is in use yet: it is being made ready, or homed status says why it cannot be",
    "尚未启用：正在准备，或用 homed status 查看不能用的原因",
  ],
  ["no LLM source is configured: the offline agent answers", "没有配置模型来源：由离线智能体作答"],
  [
    "add one with /setup in `homed chat`, or: homed config set core.llm.sources.openai.api_key YOUR-KEY",
    "在 homed chat 中用 /setup 添加，或运行 homed config set core.llm.sources.openai.api_key 你的密钥",
  ],
  ["look at the settings under core.llm.sources.{name}", "请检查 core.llm.sources.{name} 下的设置"],
  ["{model} answers", "{model} 有回答"],
  ["{model}: ready", "{model}：就绪"],
  ["{running} of {all} are running", "{all} 个中有 {running} 个在运行"],
  [
    "homed plugin logs {name}; then homed plugin reload {same}, or disable it",
    "查看 homed plugin logs {name}；然后 homed plugin reload {same}，或停用它",
  ],
  [
    "make it a folder that you may write, or name another with --home",
    "让它成为你可写的文件夹，或用 --home 指定别的目录",
  ],
];

/** Values that are sentences themselves. */
const NESTED = new Set(["reason", "expected", "fix", "instead"]);

interface Row {
  form: RegExp;
  names: string[];
  zh: string;
}

let rows: Row[] | undefined;

/** A sentence that came from elsewhere, for a person of this language. */
export const inLanguage = (text: string, language: Language) => language === "zh" ? inChinese(text) : text;

/** A sentence in Chinese where the table knows it, else as it is. */
export function inChinese(text: string): string {
  // The row that says most of the text itself comes first.
  const said = ([en]: readonly [string, string]) => en.replace(/\{\w+\}/g, "").length;
  rows ??= CHINESE.toSorted((a, b) => said(b) - said(a)).map(([en, zh]) => ({
    form: new RegExp(`^${en.split(/\{\w+\}/).map((part) => RegExp.escape(part)).join("(.+?)")}$`, "s"),
    names: [...en.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    zh,
  }));
  for (const { form, names, zh } of rows) {
    const found = form.exec(text);
    if (!found) continue;
    const values = new Map(names.map((name, at) => {
      const value = found[at + 1]!;
      return [name, NESTED.has(name) ? inChinese(value) : value];
    }));
    return zh.replace(/\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole);
  }
  // What happened and what to do, as one sentence.
  for (const { index } of text.matchAll(/: /g)) {
    const head = text.slice(0, index);
    const told = head.includes(" ") ? inChinese(head) : head;
    if (told !== head) return `${told}：${inChinese(text.slice(index + 2))}`;
  }
  return text;
}
