import { ElfmemError } from '../errors.ts'
import { codePointLength, contentId, normaliseContent, splitWhitespace, trimWhitespace } from './text.ts'

/** The status of a block says where it stands on its way from the inbox to the archive. */
export type BlockStatus = 'inbox' | 'active' | 'archived'

/** The archive reason says why a block was archived: it faded, a newer or equal block took its place, or somebody asked. */
export type ArchiveReason = 'decayed' | 'superseded' | 'forgotten'

/** Block facts decide if and where a block is shown. Hours are active hours of the memory's own clock. */
export interface BlockFacts {
  /** Opaque: 16 hex digits of a hash of content and scope for the first copy, of another hash for a later life of the same text. */
  readonly id: string
  readonly category: string
  readonly tags: readonly string[]
  /** The speaker or other origin of the block, for example a tool or a file. */
  readonly source?: string
  /** The class of the speaker; decides what the block may be shown as. */
  readonly sourceClass: SourceClass
  /** The project or conversation for which the block is kept apart; absent in a block of the whole store. Never changes. */
  readonly scope?: string
  readonly status: BlockStatus
  readonly createdAt: string
  /** When the content was said or happened, ISO-8601 UTC; equals `createdAt` unless the caller gave a date. */
  readonly occurredAt: string
  /** The date of the newest occurrence, ISO-8601 UTC; absent while `occurredAt` is that date. */
  readonly lastAt?: string
  /** When the newest words arrived, ISO-8601 UTC, never before an earlier arrival; absent while `createdAt` is that time. */
  readonly lastToldAt?: string
  /** The conversation, document or working session of the block. */
  readonly session: string
  /** The place of the block in its session, from 0. */
  readonly position: number
  /** Sum of outcome signals in favour of the block (Beta evidence, without any prior). */
  readonly successes: number
  readonly failures: number
  /** How often the block was shown, used or promoted; no ranking signal of query frames. */
  readonly reinforcementCount: number
  /** The time from which the block decays, in active hours. */
  readonly lastReinforcedAt: number
  /** The time of the last outcome that said the block helped, or of its promotion, in active hours. */
  readonly lastUsefulAt: number
  /** Decay per active hour (`tierLambda`). */
  readonly decayLambda: number
}

/** A block is one remembered statement. Its `content` is exactly what the caller gave; nothing ever rewrites it silently. */
export interface Block extends BlockFacts {
  readonly content: string
  /** A digest by a model or host; helps to find and to rank the block, never replaces `content`. */
  readonly summary?: string
  /** The situation in which a future agent should recall the block. */
  readonly cue?: string
  readonly archiveReason?: ArchiveReason
  readonly supersededBy?: string
  /** The block that this one claims to replace, as its caller said; if the claim is only a proposal, `resolve` decides. */
  readonly supersedes?: string
  /** The time from which the block holds, as given or read from its text (`validity.ts`), ISO-8601 UTC; absent if not said. */
  readonly validFrom?: string
  /** The first time at which the block holds no more, as given or read from its text, ISO-8601 UTC; absent if not said. */
  readonly validUntil?: string
  /** When the block that took this one's place began to hold, ISO-8601 UTC. */
  readonly supersededAt?: string
  /** When the block was archived, ISO-8601 UTC; absent in a block that is not. */
  readonly archivedAt?: string
  /** The times the text was said again, in the order of arrival; present only in blocks that were read by ids or in pages. */
  readonly occurrences?: readonly Occurrence[]
  /** How strongly the block expresses the agent's identity, 0..1; absent until a model or host judged it. */
  readonly alignment?: number
  /** When a model or host last judged the block, ISO-8601 UTC. */
  readonly scoredAt?: string
  /** The block was promoted by rule because a model failed; it is judged when a model answers again. */
  readonly judgementPending?: true
  readonly tokenCount: number
}

/** An occurrence is a time at which the text of a block was said again. The block itself has the first time. */
export interface Occurrence {
  readonly blockId: string
  /** When the text was said or happened, ISO-8601 UTC; equals `createdAt` unless the caller gave a date. */
  readonly at: string
  readonly createdAt: string
  readonly source?: string
  readonly sourceClass: SourceClass
  readonly session: string
  /** The end that another block had given this block: the block did not hold from then until `at`. ISO-8601 UTC. */
  readonly endedAt?: string
}

/** Recall finds and ranks a block by these fields, which are made from its text once, at promotion. */
export interface BlockIndex {
  readonly id: string
  /** The vectors of the content; absent if the embedder failed, and then only words find the block. */
  readonly vectors?: ContentVectors
  /** Stems of cue, summary, content and source, separated by spaces, with repeats; one line for each passage. */
  readonly terms: string
  /** The sum of the `PassageFlag`s of each passage, one hexadecimal digit for each. */
  readonly flags: string
  /** The words of each name, separated by spaces, with a tab between names; one line for each passage. Absent without names. */
  readonly names?: string
}

export interface ContentVectors {
  /** Unit vector of the content: the normalised mean of its passages if it has several. */
  readonly vector: Float32Array
  /** Unit vectors of the passages as int8, one after another; absent for a content of one passage. */
  readonly passages?: Uint8Array
}

/** These bits say which properties of a passage change its rank. */
export const PassageFlag = { asks: 1, timed: 2, standing: 4, prefers: 8 } as const

/** The origin of a ground is the caller who remembered the block, or the judgement of a host. */
export type GroundFoundBy = 'given' | 'host'

/** A ground is a block on which another block rests. */
export interface Ground {
  readonly blockId: string
  readonly ground: string
  readonly foundBy: GroundFoundBy
  readonly createdAt: string
}

/** An outdated ground is a block that holds no more although another block rests on it. */
export interface OutdatedGround {
  readonly ground: Block
  /** Ids from the block's own ground to the outdated one, which is the last. */
  readonly path: readonly string[]
}

type ScopedText = Pick<Block, 'content' | 'scope'>
type Sha256Hex = (text: string) => string

/**
 * Returns the id of the first copy of a text: the hash of its lower-cased content (Python elfmem), in a scope that of content and scope,
 * so that the same text in two scopes is two blocks.
 */
export function firstId({ content, scope }: ScopedText, sha256Hex: Sha256Hex): string {
  if (scope === undefined) return contentId(content, sha256Hex)
  return sha256Hex(salted(normaliseContent(content), scope)).slice(0, 16)
}

/** Returns the ids for a text whose first id is taken, as by the same text in other case: one of its exact words, then seven more. */
export function otherIds(text: ScopedText, sha256Hex: Sha256Hex): string[] {
  const lower = salted(normaliseContent(text.content), text.scope)
  const later = Array.from({ length: 7 }, (_, n) => sha256Hex(`${lower}\0${n + 1}`).slice(0, 16))
  return [sha256Hex(salted(`${text.content}\0exact`, text.scope)).slice(0, 16), ...later]
}

function salted(text: string, scope: string | undefined): string {
  return scope === undefined ? text : `${text}\0scope ${scope}`
}

export const ITEM = 'item'

export const TURN = 'turn'

/** Returns true if no dream merges blocks of a category as repetitions: messages and turns may repeat, and two items stay two. */
export function isKeptAsSaid(category: string): boolean {
  return ['message', TURN, ITEM].includes(category)
}

/** Returns true if a block of a category can be the text of an item, which may let go of it. */
export function isTextOfItem(category: string): boolean {
  return category === ITEM || category === TURN
}

/** Returns true if only one of two categories is that of named items: an item may let go of its own text alone. */
export function areApart(one: string, other: string): boolean {
  return (one === ITEM) !== (other === ITEM)
}

/** The greatest length of a category, a tag or a scope, in code points. */
export const LABEL_LENGTH_MAX = 128

export const DEFAULT_CATEGORY = 'knowledge'

const SHAPE = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/

/**
 * Returns the one spelling of a category: trimmed, lower case, words of `a-z 0-9 . _ -` joined by `/`, 128 code points at most.
 * Throws `INVALID_INPUT` otherwise.
 */
export function normaliseCategory(category: string): string {
  const normalised = trimWhitespace(category).toLowerCase()
  if (SHAPE.test(normalised) && codePointLength(normalised) <= LABEL_LENGTH_MAX) return normalised
  throw new ElfmemError(
    'INVALID_INPUT',
    'A category is a short lower-case word such as "decision" or "work/notes".',
    {
      recovery: `Use letters, digits, ".", "_", "-" and "/", at most ${LABEL_LENGTH_MAX}; say more with tags.`,
    },
  )
}

/** Matches characters that no scope has: control and format characters, halves of characters, and every kind of space. */
const UNFIT = /[\p{C}\p{Z}]/u

export const SCOPE_RULE = `1 to ${LABEL_LENGTH_MAX} characters without spaces, such as project-a or github.com/x/y`

/**
 * Returns the one spelling of a scope: ends trimmed, composed (NFC). Case counts, because ids of users and conversations differ
 * by it and two scopes must never become one.
 */
export function spellScope(scope: string): string {
  const trimmed = scope.trim()
  // A longer text is too long in any spelling, because NFC composes at most four signs to one.
  return codePointLength(trimmed) > 4 * LABEL_LENGTH_MAX ? trimmed : trimmed.normalize('NFC')
}

export function isScope(scope: string): boolean {
  return scope !== '' && codePointLength(scope) <= LABEL_LENGTH_MAX && !UNFIT.test(scope)
}

/** Throws `OUT_OF_SCOPE` unless the scope that is asked for is the one that the memory was opened for. */
export function mustBeSameScope(bound: string, asked: string): void {
  if (asked === bound) return
  throw new ElfmemError('OUT_OF_SCOPE', `This memory was opened for the scope ${bound} alone.`, {
    recovery: 'Leave scope out, or open the memory for the other scope or for none.',
    details: { scope: bound, asked },
  })
}

/** Returns a scope in its one spelling; throws `INVALID_INPUT` if it is not valid. */
export function normaliseScope(scope: string): string {
  const spelled = spellScope(scope)
  if (isScope(spelled)) return spelled
  throw new ElfmemError('INVALID_INPUT', `${JSON.stringify(scope)} is no scope.`, {
    recovery: `A scope has ${SCOPE_RULE}.`,
    details: { scope },
  })
}

export const TAGS_MOST = 32

/** The tag of a core invariant, which is permanent and guaranteed in the self frame; only an explicit trusted act gives it. */
export const CONSTITUTIONAL_TAG = 'self/constitutional'

/** The identity tags that an analysis may name. No analysis grants the first one, and only that of a host grants the goal. */
export const MODEL_TAGS = [
  CONSTITUTIONAL_TAG,
  'self/constraint',
  'self/value',
  'self/style',
  'self/goal',
  'self/context',
] as const

/**
 * Returns the one spelling of a tag: ends trimmed, lower case, white space inside collapsed to one space.
 * Throws `INVALID_INPUT` if the result is empty or has more than 128 code points.
 */
export function normaliseTag(tag: string): string {
  const normalised = spelled(tag)
  if (normalised !== '' && codePointLength(normalised) <= LABEL_LENGTH_MAX) return normalised
  throw new ElfmemError('INVALID_INPUT', `A tag has 1 to ${LABEL_LENGTH_MAX} characters.`, {
    recovery: 'Shorten the tag, or put the long text into the content.',
    details: { length: codePointLength(normalised) },
  })
}

export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normaliseTag))].sort()
}

/** Returns the part of a tag before its first `/`; undefined for a tag without one. */
export function tagNamespace(tag: string): string | undefined {
  const slash = tag.indexOf('/')
  return slash > 0 ? tag.slice(0, slash) : undefined
}

/** Returns true if a normalised tag equals a pattern, or begins with it if the pattern ends with `*`. Nothing else is special. */
export function matchesTag(pattern: string, tag: string): boolean {
  return pattern.endsWith('*') ? tag.startsWith(pattern.slice(0, -1)) : tag === pattern
}

/** Returns true if a normalised tag says who the agent is (`self/…`). */
export function isIdentityTag(tag: string): boolean {
  return tagNamespace(tag) === 'self'
}

/** Returns true if a normalised tag needs a trusted source: `self/constitutional` and everything under `peer/`. */
export function isProtectedTag(tag: string): boolean {
  return tag === CONSTITUTIONAL_TAG || tagNamespace(tag) === 'peer'
}

/** Returns true if any of a block's tags is `self/constitutional`. */
export function isConstitutional(tags: readonly string[]): boolean {
  return tags.includes(CONSTITUTIONAL_TAG)
}

/** Returns true if a model may grant a normalised tag: a model gives the agent neither a rule that binds it nor a goal. */
export function grantableByModel(tag: string): boolean {
  return !isProtectedTag(tag) && tag !== 'self/goal'
}

/**
 * Returns the tags of an analysis in two lists: the accepted `MODEL_TAGS` that are not protected, normalised and unique, and the
 * refused others as they were given. Never throws.
 */
export function grantableTags(tags: readonly string[]): {
  readonly accepted: readonly string[]
  readonly refused: readonly string[]
} {
  const known: readonly string[] = MODEL_TAGS
  const mayGrant = (tag: string) => known.includes(spelled(tag)) && !isProtectedTag(spelled(tag))
  return {
    accepted: [...new Set(tags.filter(mayGrant).map(spelled))],
    refused: tags.filter((tag) => !mayGrant(tag)),
  }
}

function spelled(tag: string): string {
  return splitWhitespace(tag).join(' ').toLowerCase()
}

/**
 * The classes of speakers, the most trusted first: the owner, the agent itself, a model that wrote for the agent, a tool, a text
 * of somebody else, another agent, a file of memories from elsewhere.
 */
export const SOURCE_CLASSES = ['user', 'agent', 'model', 'tool', 'document', 'peer', 'import'] as const
export type SourceClass = (typeof SOURCE_CLASSES)[number]

/** The classes of speakers whose words may say who the agent is. */
export const OWN_CLASSES: readonly SourceClass[] = ['user', 'agent']

const OWNER_LABELS: ReadonlySet<string> = new Set(['user', 'human', 'owner', 'me'])
/** Labels of a source that mean the agent, besides its name. */
const AGENT_LABELS: ReadonlySet<string> = new Set(['self', 'agent', 'assistant', 'api', 'cli', 'mcp'])

export function isOwn({ sourceClass }: Speaking): boolean {
  return OWN_CLASSES.includes(sourceClass)
}

type Speaking = Pick<Block, 'sourceClass'>
type Speaker = SourceClass | Speaking

/**
 * Returns true if one speaker is trusted as much as another, or more. A block that is trusted less neither hides, replaces, rewrites,
 * archives nor takes back one that is trusted more, nor stands above it.
 */
export function mayCover(one: Speaker, other: Speaker): boolean {
  return rankOf(one) <= rankOf(other)
}

function rankOf(speaker: Speaker): number {
  return SOURCE_CLASSES.indexOf(typeof speaker === 'string' ? speaker : speaker.sourceClass)
}

/** Returns the less trusted of two classes, because nothing is trusted more than its sources. */
export function leastTrusted(one: SourceClass, other: SourceClass): SourceClass {
  return mayCover(one, other) ? other : one
}

/** The fields of a block that tell who speaks in it. */
interface Said extends Pick<Block, 'source' | 'category' | 'tags'> {
  /** The class that the caller declares for the block; if absent, the source decides. */
  readonly declared?: SourceClass | undefined
}

/**
 * Returns the class of the speaker in a block that comes in. A message is a peer's whatever is declared. A source that is neither the
 * owner nor the agent, and does not begin with the name of a class (`tool: grep`), is somebody else: `document`.
 *
 * @param highest most trusted class that the caller may claim
 */
export function sourceClassOf(
  { declared, source, category, tags }: Said,
  { agentName, highest }: { readonly agentName: string; readonly highest: SourceClass },
): SourceClass {
  const claimed = leastTrusted(declared ?? classOfLabel(source, agentName), highest)
  return isMessage({ category, tags }) ? leastTrusted(claimed, 'peer') : claimed
}

function isMessage({ category, tags }: Pick<Said, 'category' | 'tags'>): boolean {
  return category === 'message' || tags.some((tag) => tagNamespace(tag) === 'peer')
}

function classOfLabel(source: string | undefined, agentName: string): SourceClass {
  const label = source?.trim().toLowerCase() ?? ''
  if (label === '' || AGENT_LABELS.has(label) || label === agentName.trim().toLowerCase()) return 'agent'
  if (OWNER_LABELS.has(label)) return 'user'
  const [first] = label.split(/[:/]/, 1)
  return SOURCE_CLASSES.find((each) => each === first?.trim() && !OWN_CLASSES.includes(each)) ?? 'document'
}

/**
 * Returns the name of a source for a reader: the class first, then its own label, so that no label, however it is spelt, reads as the
 * word of another class. Undefined for the agent's own words without a label.
 */
export function sourceName({
  sourceClass,
  source,
}: Speaking & { readonly source?: string }): string | undefined {
  const label = source?.trim() ?? ''
  if (label === '') return sourceClass === 'agent' ? undefined : sourceClass
  if (!label.toLowerCase().startsWith(sourceClass)) return `${sourceClass}: ${label}`
  // A label may begin with the class itself: "tool: grep".
  const [, rest] = /^[:/](.*)$/s.exec(label.slice(sourceClass.length)) ?? []
  if (rest !== undefined && rest.trim() !== '') return `${sourceClass}: ${rest.trim()}`
  return label.length === sourceClass.length ? sourceClass : `${sourceClass}: ${label}`
}

/** Returns true if a block says who the agent is: it has a tag under `self/`, and the owner or the agent speaks. */
export function isIdentity({ tags, sourceClass }: Speaking & Pick<Said, 'tags'>): boolean {
  return isOwn({ sourceClass }) && tags.some(isIdentityTag)
}

/**
 * Returns what happens to incoming words that a living block already says:
 *
 * - `merge`: the block gains only what may be merged, and keeps its class.
 * - `raise`: the owner says the same as a less trusted block, which counts as the owner's from now on.
 * - `apart`: the words become a block of their own beside the less trusted one.
 *
 * A message and a block that claims another's place are not raised: the owner said the words, not the claim.
 *
 * Words are an echo if a recall has just shown them. Words that insist say who the agent is and never merge into less trust.
 */
export function meetingOf(
  known: Said & Speaking & { readonly supersedes?: string },
  {
    sourceClass,
    isEcho = false,
    insists = false,
  }: Speaking & { readonly isEcho?: boolean | undefined; readonly insists?: boolean | undefined },
): 'merge' | 'raise' | 'apart' {
  if (isEcho || mayCover(known, sourceClass)) return 'merge'
  if (sourceClass !== 'user') return insists ? 'apart' : 'merge'
  return isMessage(known) || known.supersedes !== undefined ? 'apart' : 'raise'
}

export function mostTrusted<T extends Speaking>(blocks: readonly T[]): T | undefined {
  return blocks.reduce<T | undefined>(
    (best, block) => (best !== undefined && mayCover(best, block) ? best : block),
    undefined,
  )
}
