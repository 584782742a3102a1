import { nounOf, OWNER, usualNoun } from "../../base/facts/mod.ts";
import { relationNoun } from "../../base/facts/english_subject.ts";
import { canonicalPredicate, type Predicate, withBroader, withNarrower } from "../../base/predicates.ts";
import { type About, aboutText, type Asked } from "./ask.ts";
import type { Relation } from "./recalled.ts";
import { plain } from "./words.ts";

const OWNER_NAMES = new Set([OWNER, "me", "i", "my", "myself", "owner", "the user", "我", "用户", "主人", "本人"]);

/** Whether a name in the graph, as `plain` writes it, is the owner's. */
export const isOwner = (name: string): boolean => OWNER_NAMES.has(name);

/** Every name under which an entity may stand in the graph: "my sister" is also "我姐姐", and Anna; and Anna is "my
 * sister" when there is no other. */
export function namesOf(about: About, relations: readonly Relation[]): Set<string> {
  switch (about.kind) {
    case "owner":
      return OWNER_NAMES;
    case "named":
      return aliases(about.name, relations);
    case "thing":
      return new Set();
    case "relation": {
      const names = new Set([
        plain(aboutText(about, "en")),
        plain(aboutText(about, "zh")),
        plain(`my ${about.noun}`),
        plain(`我${about.noun}`),
        ...(about.whose.kind === "owner" ? [plain(about.noun)] : []),
      ]);
      if (["mother", "father"].includes(about.predicate.id)) names.add("my parents").add("my parent").add("我父母");
      if (about.predicate.id === "pet") names.add("my pet").add("我宠物");
      if (about.whose.kind === "owner") {
        for (const narrower of withNarrower(about.predicate).filter(({ id }) => id !== about.predicate.id)) {
          names.add(plain(`my ${narrower.en}`)).add(plain(`我${narrower.zh}`));
        }
      }
      const whose = namesOf(about.whose, relations);
      const exact = relations.filter((relation) =>
        relation.current && whose.has(plain(relation.subject)) && isRole(relation, about.predicate)
      );
      const worded = exact.filter((relation) => plain(usualNoun(relation.predicate)) === plain(usualNoun(about.noun)));
      for (const relation of worded.length > 0 ? worded : exact) names.add(plain(relation.object));
      if (about.predicate.id === "pet") keepSpecies(about.noun, names, relations);
      return names;
    }
  }
}

/** The relation that a word for somebody names: a Spanish teacher is a teacher. */
const roleOf = (predicate: string) => canonicalPredicate(predicate) ?? canonicalPredicate(predicate.split(" ").at(-1)!);

function isRole(relation: Relation, wanted: Predicate): boolean {
  const known = roleOf(relation.predicate);
  return known !== undefined && withBroader(known).some(({ id }) => id === wanted.id);
}

/** Names of which one is the other's beginning are one person: 朵朵 has 张朵朵, 小悦 is 陈悦; and what they are to the
 * owner, if they are the only one. */
function aliases(name: string, relations: readonly Relation[]): Set<string> {
  const names = new Set([plain(name)]);
  const pet = /^[小阿](\p{Script=Han})$/u.exec(name)?.[1];
  const given = /^\p{Script=Han}(\p{Script=Han}{2})$/u.exec(plain(name))?.[1];
  for (const relation of relations) {
    for (const other of [relation.subject, relation.object]) {
      const text = plain(other);
      if (text === given) names.add(text);
      if (new RegExp(`^${escaped(plain(name))}\\b`, "u").test(text) && text.split(" ").length <= 3) names.add(text);
      if (pet && text !== pet && new RegExp(`^\\p{Script=Han}{1,2}${pet}$`, "u").test(text)) names.add(text);
      if (/^\p{Script=Han}{2}$/u.test(name) && new RegExp(`^\\p{Script=Han}${escaped(name)}$`, "u").test(text)) {
        names.add(text);
      }
    }
  }
  for (const { subject, predicate, object } of relations) {
    if (canonicalPredicate(predicate)?.id === "name" && names.has(plain(object)) && !isOwner(plain(subject))) {
      names.add(plain(subject)); // "the heating engineer is called Bob"
    }
  }
  for (const kin of kinOf(names, relations)) names.add(plain(kin));
  return names;
}

/** What those of these names are to the owner, as a subject is written: "my sister", 我姐姐. Only where nobody else is the
 * same to the owner. */
export function kinOf(names: ReadonlySet<string>, relations: readonly Relation[]): string[] {
  const roles = relations.filter((relation) =>
    relation.current && isOwner(plain(relation.subject)) && !isOwner(plain(relation.object))
  );
  return roles.filter((relation) => names.has(plain(relation.object))).flatMap((relation) => {
    const known = roleOf(relation.predicate);
    if (!known || !isPersonal(known)) return [];
    const rivals = roles.filter((other) => !names.has(plain(other.object)));
    const words = known.id === "pet" ? speciesOf(plain(relation.object), relations) : [relation.predicate];
    const kin = words.filter((word) =>
      !rivals.some((other) =>
        plain(other.predicate) === plain(word) || speciesOf(plain(other.object), relations).includes(word)
      )
    ).flatMap((
      noun,
    ) => [`my ${nounOf({ predicate: known, noun }, "en")}`, `我${nounOf({ predicate: known, noun }, "zh")}`]);
    for (const wider of withBroader(known).filter(({ id }) => id !== "relative")) {
      if (!rivals.some((other) => isRole(other, wider))) kin.push(`my ${wider.en}`, `我${wider.zh}`);
    }
    return [...new Set(kin)];
  });
}

/** Relations that make a subject: "my boss", "my dentist"; not "my car". */
const isPersonal = ({ id, inverse, broader }: Predicate) =>
  id !== "owns" && (inverse !== undefined || broader === "relative" ||
    ["boss", "doctor", "teacher", "lawyer", "landlord", "helper"].includes(id));

/** The one whom a subject like "my sister" or 我姐姐 names, if the owner has told exactly one name for it. */
export function nameFor(subject: string, relations: readonly Relation[]): string | undefined {
  const names = new Set<string>();
  for (const { object } of relations.filter(({ current, subject }) => current && isOwner(plain(subject)))) {
    if (kinOf(new Set([plain(object)]), relations).some((kin) => plain(kin) === plain(subject))) names.add(object);
  }
  return names.size === 1 ? [...names][0] : undefined;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const KINDS: Record<string, string | undefined> = {
  狗: "dog",
  猫: "cat",
  小狗: "dog",
  小猫: "cat",
  猫咪: "cat",
  狗狗: "dog",
  兔子: "rabbit",
  puppy: "dog",
  kitten: "cat",
};

/** Whether an animal told as `species` is of the kind that a noun names. */
function isKind(species: string, noun: string): boolean {
  const kind = KINDS[noun] ?? noun;
  return species.includes(kind) || species.includes(noun) ||
    Object.entries(KINDS).some(([word, other]) => other === kind && species.includes(word));
}

const speciesOf = (name: string, relations: readonly Relation[]) =>
  relations.filter((relation) =>
    canonicalPredicate(relation.predicate)?.id === "species" && plain(relation.subject) === name
  ).map((relation) => plain(relation.object));

/** Of several pets, those of the kind that was named: "my cat" is not the dog. */
function keepSpecies(noun: string, names: Set<string>, relations: readonly Relation[]): void {
  const kind = plain(noun);
  if (/^(?:pets?|animals?|宠物)$/.test(kind)) return;
  for (const name of [...names]) {
    const species = speciesOf(name, relations);
    if (species.length > 0 && !species.some((each) => isKind(each, kind.replace(/s$/, "")))) names.delete(name);
  }
}

/** Of the pets that were found, those of the kind that the question names. */
export function ofKind(asked: Asked, found: Relation[], relations: readonly Relation[]): Relation[] {
  const { noun } = asked;
  if (noun === undefined || /^(?:pets?|animals?|宠物)$/i.test(noun)) return found;
  return found.filter((relation) => {
    if (canonicalPredicate(relation.predicate)?.id !== "pet") return true;
    const species = speciesOf(plain(relation.object), relations);
    const kind = plain(noun).replace(/s$/, "");
    if (species.length === 0) {
      const isAnimal = KINDS[kind] !== undefined || relationNoun(kind) !== undefined;
      return isKind(plain(relation.object), kind) || isAnimal && !/^\p{Ll}/u.test(relation.object);
    }
    return species.some((each) => isKind(each, kind));
  });
}
