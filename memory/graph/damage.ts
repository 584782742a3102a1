/** What the person is told when pages of the graph's file turn out to be broken while it is in use. */
export const GRAPH_DAMAGED = "Cannot read all of the memory's graph: its database is damaged (记忆图谱数据库已损坏)";

export const GRAPH_FIX =
  "stop homed and start it again: the sound copy of the last days takes its place, and the damaged file is kept beside it " +
  "(重新启动即改用最近的完好副本，损坏的文件会保留)";
