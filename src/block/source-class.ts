import { isIdentityTag, tagNamespace } from './tags.ts'

/**
 * Who speaks in a block, the most trusted first: the owner, the agent itself, a model that wrote for it, a tool, what
 * somebody else wrote or said, another agent, a file of memories from elsewhere.
 */
export const SOURCE_CLASSES = ['user', 'agent', 'model', 'tool', 'document', 'peer', 'import'] as const
/** The class of whoever speaks in a block; it decides how far the block is trusted. */
export type SourceClass = (typeof SOURCE_CLASSES)[number]

/** Whose words may say who the agent is. */
export const OWN_CLASSES: readonly SourceClass[] = ['user', 'agent']

/** Labels of a source that mean the owner. */
const OWNER_LABELS: ReadonlySet<string> = new Set(['user', 'human', 'owner', 'me'])
/** Labels of a source that mean the agent, besides its name. */
const AGENT_LABELS: ReadonlySet<string> = new Set(['self', 'agent', 'assistant', 'api', 'cli', 'mcp'])

/** True if a block's words may say who the agent is. */
export function isOwn({ sourceClass }: Speaking): boolean {
  return OWN_CLASSES.includes(sourceClass)
}

interface Speaking {
  readonly sourceClass: SourceClass
}

/** A block, or the class of its speaker. */
type Speaker = SourceClass | Speaking

/**
 * True if one speaker is trusted as much as another, or more. Nothing that is trusted less hides, replaces, rewrites,
 * archives or takes back what is trusted more, nor stands over it.
 */
export function mayCover(one: Speaker, other: Speaker): boolean {
  return rankOf(one) <= rankOf(other)
}

function rankOf(speaker: Speaker): number {
  return SOURCE_CLASSES.indexOf(typeof speaker === 'string' ? speaker : speaker.sourceClass)
}

/** Returns the class of what derives from both: nothing is trusted more than what it was made of. */
export function leastTrusted(one: SourceClass, other: SourceClass): SourceClass {
  return mayCover(one, other) ? other : one
}

/** The fields of a block that tell who speaks in it. */
interface Said {
  readonly source?: string
  readonly category: string
  readonly tags: readonly string[]
  /** The class declared by whoever brings the block; if absent, the source decides. */
  readonly declared?: SourceClass | undefined
}

/**
 * Who speaks in a block that comes in. A message is a peer's whatever is declared. A source that is neither the owner
 * nor the agent, nor begins with the name of a class (`tool: grep`), is somebody else: `document`.
 *
 * @param highest what whoever brings it may claim at most
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
 * How a source is named to a reader: the class first, then its own label, so that no label is read as anybody else's
 * word, however it is spelt. Undefined for the agent's own words without a label.
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

/** True if a block says who the agent is: a tag under `self/` and the agent's own words. */
export function isIdentity({ tags, sourceClass }: Speaking & Pick<Said, 'tags'>): boolean {
  return isOwn({ sourceClass }) && tags.some(isIdentityTag)
}

/**
 * Decides what happens to words that a living block says already:
 *
 * - `merge`: nothing is added but what may be merged; the block keeps its class.
 * - `raise`: the owner says the same as a less trusted block, which counts as the owner's from now on.
 * - `apart`: a block of its own beside the less trusted one.
 *
 * A message and a block that claims another's place are not raised: the owner said the words, not the claim.
 *
 * An echo are words that a recall has just shown; words that insist say who the agent is, and are never left to less trust.
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

/** Returns the most trusted of blocks with one statement, and the first of equally trusted ones. */
export function mostTrusted<T extends Speaking>(blocks: readonly T[]): T | undefined {
  return blocks.reduce<T | undefined>(
    (best, block) => (best !== undefined && mayCover(best, block) ? best : block),
    undefined,
  )
}
