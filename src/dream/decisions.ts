import {
  type Block,
  CONSTITUTIONAL_TAG,
  DEFAULT_CATEGORY,
  isConstitutional,
  mayCover,
  normaliseTags,
  type SourceClass,
} from '../block/block.ts'
import { defined, isSameText } from '../block/text.ts'
import { isNewer } from '../block/validity.ts'
import { actorOf, type CallContext, type Engine, type Mutation, mutate } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import {
  type BlockPair,
  orderedPair,
  type Proposal,
  type ProposalKind,
  type ProposalState,
} from '../graph/edge.ts'
import { admit } from '../intake/admit.ts'
import { checkContent, highestFor, overLimit, requireBlock, requireIds } from '../intake/check-input.ts'
import { refuseFrame } from '../intake/echo.ts'
import { findOutdated, readOutdated } from '../intake/supersede.ts'
import { shownMeanwhile } from '../recall/versions.ts'
import { blocksById, readBlocks } from '../store/blocks.ts'
import {
  readDecisionCounts,
  readLinks,
  readOpenPairs,
  readProposalPage,
  readProposals,
  removeProposals,
  saveProposals,
} from '../store/graph.ts'
import { type Prediction, readPredictions } from '../store/predictions.ts'
import { predictions } from '../store/tables-to-decide.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** The kinds of decisions are in the order in which they are shown. */
export const DECISION_KINDS = [
  'proposal',
  'contradiction',
  'supersession',
  'near_duplicate',
  'outdated',
  'prediction',
  'perhaps_newer',
] as const
/** A decision kind is the reason why something is to be decided. */
export type DecisionKind = (typeof DECISION_KINDS)[number]

/** Returns true if only a person settles a decision of this kind; a guess that a note is newer changes nothing. */
export function needsPerson(kind: DecisionKind): boolean {
  return kind !== 'perhaps_newer'
}

/** Returns true if a decision of this kind is about two blocks of which one may have to go. */
export function isOfPair(kind: DecisionKind): kind is BlockPair['kind'] {
  return kind !== 'proposal' && kind !== 'outdated' && kind !== 'prediction'
}

/** Returns the kind and the keys in the id of a decision; undefined for any other text. */
function partsOf(id: string) {
  const [said, ...keys] = id.trim().split(':')
  const kind = DECISION_KINDS.find((each) => each === said)
  const wanted = kind !== undefined && isOfPair(kind) ? 2 : 1
  return kind === undefined || keys.length !== wanted || keys.includes('') ? undefined : { kind, keys }
}

/** Facts on which the choices depend; `first` is the older of two blocks, or the only block of the decision. */
interface Decidable {
  readonly kind: DecisionKind
  readonly first?: Block
  readonly second?: Block
  readonly proposal?: Proposal
}

/** Returns the ways to decide, in the order in which they are shown. None is the default, and a principle never goes. */
function choicesOf({ kind, first, second, proposal }: Decidable): readonly string[] {
  if (isOfPair(kind)) {
    const stays = (side?: Block) => side !== undefined && isConstitutional(side.tags)
    const all = [!stays(second) && 'first', !stays(first) && 'second', 'both']
    return all.filter((choice) => choice !== false)
  }
  if (kind === 'outdated') return ['holds', 'correct', 'forget']
  if (kind === 'prediction') return ['came_true', 'did_not', 'drop']
  if (proposal?.kind === 'class') return ['accept', 'refuse']
  return proposal?.content === undefined ? ['change', 'refuse'] : ['accept', 'change', 'refuse']
}

/** A side is a block that a decision is about. */
export interface Side {
  readonly block: Block
  readonly edges: number
  /** Recall shows the block as an entry until somebody decides. */
  readonly isShown: boolean
}

/** A decision is a question that the owner, the host or a model is to settle. */
export interface Decision extends Omit<Found, 'blockIds' | 'place'> {
  /** The older of two blocks, the one to give way, or the only block. */
  readonly first?: Side
  /** The newer of two blocks, or the ended ground on which the first rests. */
  readonly second?: Side
  /** The words that an accepted proposal replaced, while the log has them. */
  readonly before?: string
  /** The names of the ways to decide. */
  readonly choices: readonly string[]
  /** A text that changes as soon as the words or their speaker change. */
  readonly mark: string
}

/** A decision whose blocks are still to be read. */
interface Found {
  readonly id: string
  readonly kind: DecisionKind
  readonly blockIds: readonly string[]
  /** Time when the decision was found or asked for, ISO-8601 UTC; absent if nobody noted it. */
  readonly at?: string
  /** The caller or rule that found it or asked for it; absent if nobody noted it. */
  readonly by?: string
  readonly pair?: BlockPair
  readonly proposal?: Proposal
  readonly prediction?: Prediction
  readonly place: string
}

/** The page of decisions that a call wants. */
interface Page {
  /** All kinds, one after the other, if absent. */
  readonly kind?: DecisionKind | undefined
  readonly cursor?: string | undefined
  readonly limit: number
  readonly at: string
  /** State of the proposals; all other decisions are open. */
  readonly state: ProposalState
}

/** Reads a page of decisions, kind after kind, and the cursor of the next page. Runs a few statements for each kind on the page. */
export async function readDecisions(
  engine: Engine,
  tx: ReadTransaction,
  { kind, limit, cursor, state, at }: Page,
): Promise<{ readonly decisions: readonly Decision[]; readonly cursor?: string }> {
  const [, fromKind, fromPlace = ''] = /^([a-z_]+):(.+)$/s.exec(cursor ?? '') ?? []
  const every: readonly DecisionKind[] = state === 'open' ? DECISION_KINDS : ['proposal']
  const kinds = kind === undefined ? every : [kind]
  const begin = cursor === undefined ? 0 : kinds.indexOf(fromKind as DecisionKind)
  if (begin < 0) throw noSuchPage()
  const found: Found[] = []
  for (const [i, each] of kinds.slice(begin).entries()) {
    const after = i === 0 && cursor !== undefined ? fromPlace : undefined
    found.push(...(await pageOf(tx, { kind: each, limit: limit + 1 - found.length, at, state }, after)))
    if (found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const decisions = await withBlocks(engine, tx, shown, at)
  const isMore = found.length > limit && last !== undefined
  return { decisions, ...(isMore ? { cursor: `${last.kind}:${last.place}` } : {}) }
}

/** Largest number of outdated blocks, and of predictions, that are counted. */
const COUNTED_MOST = 1_000

/** Returns the number of decisions by kind; of outdated blocks and of predictions up to 1,000. */
export async function countDecisions(
  tx: ReadTransaction,
  at: string,
): Promise<Readonly<Record<DecisionKind, number>>> {
  const { blocks } = await findOutdated(tx, { at, most: COUNTED_MOST })
  const due = await findDue(tx, at)
  return { ...(await readDecisionCounts(tx)), outdated: blocks.length, prediction: due.length }
}

/** Reads the predictions whose time is over and that nobody settled, the longest over first; those of forgotten blocks do not wait. */
export async function findDue(tx: ReadTransaction, at: string): Promise<Prediction[]> {
  const due = await tx.rows.scan(predictions, {
    where: { settledAt: undefined },
    until: ['expectedBy', at],
    order: ['expectedBy', 'blockId'],
    limit: COUNTED_MOST,
  })
  const ids = due.map(({ blockId }) => blockId)
  const blocks = await blocksById(tx, ids)
  return due.filter(({ blockId }) => blocks.get(blockId)?.archiveReason !== 'forgotten')
}

/** Returns the number of decisions that only a person makes. */
export function forPerson(counts: Readonly<Record<DecisionKind, number>>): number {
  return DECISION_KINDS.filter(needsPerson).reduce((sum, kind) => sum + counts[kind], 0)
}

/** Reads a page of one kind, oldest first, at the cost of the page; outdated blocks and predictions at the cost of all of them. */
async function pageOf(
  tx: ReadTransaction,
  { kind, limit, at, state }: Page & { readonly kind: DecisionKind },
  after: string | undefined,
): Promise<Found[]> {
  if (kind === 'proposal') {
    const number = after === undefined ? undefined : Number(after)
    if (number !== undefined && !(Number.isSafeInteger(number) && number >= 0)) throw noSuchPage()
    return (await readProposalPage(tx, { state, limit, after: number })).map(foundProposal)
  }
  if (kind === 'outdated') {
    const { blocks, grounds } = await findOutdated(tx, { at, most: COUNTED_MOST })
    const behind = blocks.filter(({ id }) => id > (after ?? '')).slice(0, limit)
    return behind.map((block) => foundOutdated(block, grounds.get(block.id)?.[0]?.ground))
  }
  if (kind === 'prediction') {
    const due = (await findDue(tx, at)).map(foundPrediction)
    return due.filter(({ place }) => place > (after ?? '')).slice(0, limit)
  }
  const [a = '', b = '', ...rest] = after?.split(':') ?? []
  if (after !== undefined && (b === '' || rest.length > 0)) throw noSuchPage()
  const open = await readOpenPairs(tx, limit, after === undefined ? undefined : [a, b], kind)
  if (open === undefined) throw noSuchPage()
  return open.map(foundPair)
}

function noSuchPage(): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'The cursor is not one that a page of decisions returned.', {
    recovery: 'Leave the cursor out, and begin with the first page again.',
  })
}

function foundPair(pair: BlockPair): Found {
  const { a, b, kind, createdAt: at, foundBy: by = 'similarity' } = pair
  return { id: `${kind}:${a}:${b}`, kind, blockIds: [a, b], at, by, pair, place: `${a}:${b}` }
}

function foundProposal({ place, ...proposal }: Proposal & { place: number }): Found {
  const { target, createdAt: at, proposer: by } = proposal
  const blockIds = target === undefined ? [] : [target]
  return { id: `proposal:${proposal.id}`, kind: 'proposal', at, by, blockIds, proposal, place: `${place}` }
}

function foundOutdated({ id }: Block, ground: Block | undefined): Found {
  const blockIds = [id, ...(ground === undefined ? [] : [ground.id])]
  const at = defined({ at: ground?.supersededAt })
  return { id: `outdated:${id}`, kind: 'outdated', by: 'rule', blockIds, place: id, ...at }
}

function foundPrediction(prediction: Prediction): Found {
  const { blockId: id, expectedBy: at } = prediction
  return { id: `prediction:${id}`, kind: 'prediction', at, blockIds: [id], prediction, place: `${at} ${id}` }
}

/**
 * Returns the decision with an id, whose parts may be prefixes of block ids. It may be a decided proposal. Throws `INVALID_INPUT` for any
 * other text, and `NOT_FOUND` if there is nothing left to decide. Runs a few statements.
 */
export async function requireDecision(
  engine: Engine,
  tx: ReadTransaction,
  id: string,
  at: string,
): Promise<Decision> {
  const parts = partsOf(id)
  if (parts === undefined)
    throw new ElfmemError('INVALID_INPUT', 'That is no id of a decision.', {
      recovery:
        'Take an id from decisions(): a kind and the ids of what it is about, such as outdated:3f2a9c1e.',
      details: { arguments: ['id'] },
    })
  const found = await findOpen(tx, parts, at)
  const [decision] = found === undefined ? [] : await withBlocks(engine, tx, [found], at)
  if (decision !== undefined) return decision
  throw new ElfmemError('NOT_FOUND', `Under ${id.trim()} nothing is to be decided.`, {
    recovery: 'decisions() lists what is; it may have been decided meanwhile, which history() tells.',
    details: { ids: [id.trim()] },
  })
}

async function findOpen(
  tx: ReadTransaction,
  { kind, keys }: NonNullable<ReturnType<typeof partsOf>>,
  at: string,
): Promise<Found | undefined> {
  if (kind === 'proposal') {
    const [proposal] = await readProposals(tx, keys)
    return proposal && foundProposal({ ...proposal, place: 0 })
  }
  const [a = '', b = ''] = await requireIds(tx, keys)
  if (isOfPair(kind)) {
    const [one, other] = orderedPair(a, b)
    const { pairs } = await readLinks(tx, [a])
    const pair = pairs.find((each) => each.a === one && each.b === other && each.kind === kind)
    return pair && foundPair(pair)
  }
  if (kind === 'prediction') {
    const [prediction] = await readPredictions(tx, [a])
    return prediction?.settledAt === undefined && prediction ? foundPrediction(prediction) : undefined
  }
  const [block] = await readBlocks(tx, [a])
  if (block === undefined || block.status === 'archived') return undefined
  const [outdated] = (await readOutdated(tx, [a], at)).get(a) ?? []
  return outdated && foundOutdated(block, outdated.ground)
}

/** Returns decisions with their blocks, without those whose blocks are gone. Runs two statements, and one for each accepted rewording. */
async function withBlocks(
  { ids }: Engine,
  tx: ReadTransaction,
  found: readonly Found[],
  at: string,
): Promise<Decision[]> {
  const wanted = [...new Set(found.flatMap(({ blockIds }) => blockIds))]
  const blocks = await blocksById(tx, wanted)
  const joined = await tx.queries.strengths(wanted)
  const replaced = new Map<string, string | undefined>()
  for (const each of found) replaced.set(each.id, await wordsBefore(tx, each))
  return found.flatMap(({ blockIds, place: _place, ...each }): Decision[] => {
    const { kind, pair, proposal } = each
    const own = blockIds.flatMap((id) => blocks.get(id) ?? [])
    if (proposal === undefined && own.length < blockIds.length) return []
    const living = own.filter(({ status }) => status !== 'archived').map(({ id }) => id)
    const shown = pair === undefined ? new Set(living) : shownMeanwhile(pair, own, at)
    const [first, second] = inOrder(each, own).map(
      (block): Side => ({ block, edges: joined.get(block.id)?.degree ?? 0, isShown: shown.has(block.id) }),
    )
    const facts = { kind, ...defined({ first: first?.block, second: second?.block, proposal }) }
    const isDecided = proposal !== undefined && proposal.state !== 'open'
    const choices = isDecided ? [] : choicesOf(facts)
    const before = replaced.get(each.id)
    return [{ ...each, ...defined({ first, second, before }), choices, mark: markOf(ids, facts) }]
  })
}

/** Returns the words that an accepted proposal replaced, as the log of the edit has them. */
async function wordsBefore(tx: ReadTransaction, { proposal }: Found): Promise<string | undefined> {
  const { kind, state, target, decidedAt } = proposal ?? {}
  if (kind !== 'rewording' || state !== 'accepted' || target === undefined || decidedAt === undefined) return
  const until = new Date(Date.parse(decidedAt) + 1).toISOString()
  const edits = { blockId: target, operation: 'edit', since: decidedAt, until, limit: 1 }
  const [entry] = await tx.queries.operations(edits)
  return (entry?.before as { readonly content?: string } | undefined)?.content
}

/** Returns the older of two blocks, or the one that is to give way, first; others stay as they were found. */
function inOrder({ kind, pair }: Pick<Found, 'kind' | 'pair'>, blocks: readonly Block[]): readonly Block[] {
  const [one, other] = blocks
  if (one === undefined || other === undefined || kind === 'outdated') return blocks
  if (pair !== undefined && one.supersedes === other.id) return [other, one]
  if (pair !== undefined && other.supersedes === one.id) return [one, other]
  return isNewer(one, other) ? [other, one] : [one, other]
}

function markOf(
  ids: Engine['ids'],
  { first, second, proposal }: { first?: Block; second?: Block; proposal?: Proposal },
): string {
  const sides = [first, second].map(
    (block) => block && [block.id, block.content, block.sourceClass, block.tags, block.status],
  )
  const asked = proposal && [proposal.kind, proposal.content, proposal.sourceClass]
  return ids.sha256(JSON.stringify([sides, asked])).slice(0, 16)
}

/** The tags that a new block gets when a proposal of its kind is accepted; proposals of other kinds change a block. */
const TAGS_OF_NEW: Readonly<Partial<Record<ProposalKind, readonly string[]>>> = {
  identity: ['self/context'],
  value: ['self/value'],
  goal: ['self/goal'],
  principle: [CONSTITUTIONAL_TAG, 'self/value'],
}

/** Returns true if a proposal of this kind adds a block; other kinds change one. */
export function addsBlock(kind: ProposalKind): kind is Exclude<ProposalKind, 'rewording' | 'class'> {
  return TAGS_OF_NEW[kind] !== undefined
}

/** A caller's proposal; `blockId` is an id or the beginning of one. */
type AskedFor = {
  readonly [Field in 'blockId' | 'content' | 'reason']?: string | undefined
} & { readonly kind: ProposalKind; readonly sourceClass?: SourceClass | undefined }

/** A proposed change has the kept proposal, and `isNew` if this call made it. */
export type Proposed = { readonly proposal: Proposal; readonly isNew: boolean }

/**
 * Keeps a proposal for the owner and changes nothing else. A proposal that is made again is returned as it was kept. Throws `INVALID_INPUT`
 * for a proposal of no change, and `LIMIT_EXCEEDED` if too many are open.
 */
export function propose(engine: Engine, context: CallContext, asked: AskedFor): Promise<Proposed> {
  if (asked.content !== undefined) checkContent(asked.content, engine.settings.memory)
  return mutate(engine, context, async ({ tx, moment, log }) => {
    const target = await targetOf(tx, asked)
    mustBeChange(asked, target)
    refuseFrame(engine, { before: target?.content ?? '', after: asked.content })
    const scope = target?.scope ?? engine.scope
    const { kind, content, reason } = asked
    const sourceClass = kind === 'class' ? (asked.sourceClass ?? 'user') : undefined
    const words = JSON.stringify([scope, kind, target?.id, content?.trim(), sourceClass])
    const id = engine.ids.sha256(words).slice(0, 16)
    const [known] = await readProposals(tx, [id])
    if (known !== undefined) return { proposal: known, isNew: false }
    const wordless = kind === 'rewording' ? await findWordless(engine, tx, target?.id) : undefined
    if (wordless === undefined) await mustHaveRoom(engine, tx)
    else await removeProposals(tx, [wordless.id])
    const proposal: Proposal = {
      ...{ id, kind, proposer: actorOf(engine, context), state: 'open', createdAt: moment.at },
      ...defined({ target: target?.id, content, sourceClass, reason: reason || wordless?.reason }),
      ...defined({ scope }),
    }
    await saveProposals(tx, [proposal])
    await log({
      operation: 'propose',
      blockIds: target === undefined ? [] : [target.id],
      summary: `asked the owner for ${NAMES[kind]} (${id})`,
    })
    return { proposal, isNew: true }
  })
}

/** Returns the open proposal in which a rule asks for other words of a block, and for which nobody gave words yet. */
async function findWordless({ settings }: Engine, tx: ReadTransaction, target: string | undefined) {
  const open = await readProposalPage(tx, { state: 'open', limit: settings.limits.openProposals })
  return open.find(
    (each) => each.kind === 'rewording' && each.target === target && each.content === undefined,
  )
}

/** The names of the kinds stand in the log and in answers. */
export const NAMES: Readonly<Record<ProposalKind, string>> = {
  identity: 'words of who the agent is',
  value: 'a value',
  goal: 'a goal',
  principle: 'a principle',
  rewording: 'other words of a block',
  class: 'more trust in a block',
}

async function targetOf(tx: ReadTransaction, { kind, blockId }: AskedFor): Promise<Block | undefined> {
  if (addsBlock(kind) !== (blockId === undefined))
    throw addsBlock(kind)
      ? unfit(`A proposal of the kind ${kind} adds a block and is about none.`, 'Leave blockId out.')
      : unfit(`A proposal of the kind ${kind} is about a block.`, 'Give its blockId.')
  if (blockId === undefined) return undefined
  const block = await requireBlock(tx, blockId)
  if (block.status !== 'archived') return block
  throw new ElfmemError('WRONG_STATUS', `Block ${block.id} is archived; nothing is proposed about it.`, {
    recovery: `restore({ blockId: '${block.id}' }) first, or propose about another block.`,
    details: { blockId: block.id, status: block.status },
  })
}

function mustBeChange({ kind, content, sourceClass = 'user' }: AskedFor, target: Block | undefined): void {
  if (kind !== 'class' && content === undefined)
    throw unfit(`A proposal of the kind ${kind} needs words.`, 'Give them as content.')
  if (kind === 'class' && content !== undefined)
    throw unfit('Trust is proposed for words as they are.', 'Leave content out.')
  if (target !== undefined && content !== undefined && isSameText(target.content, content))
    throw unfit('The block says that already.', 'Propose other words, or nothing.')
  if (kind === 'class' && target !== undefined && mayCover(target.sourceClass, sourceClass))
    throw unfit(
      `The block is trusted as ${target.sourceClass} already.`,
      'Propose nothing, or a class above it.',
    )
}

function unfit(message: string, recovery: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', message, { recovery })
}

async function mustHaveRoom({ settings }: Engine, tx: ReadTransaction): Promise<void> {
  const { openProposals: limit } = settings.limits
  const { proposal: found } = await readDecisionCounts(tx)
  if (found < limit) return
  throw overLimit({
    what: 'The list of open proposals',
    ...{ found, limit, unit: 'proposals', setting: 'limits.open_proposals' },
    recovery: 'Ask the owner to decide about those that are there: decisions() lists them.',
  })
}

/**
 * Notes the owner's verdict, within the transaction that carries it out. Throws `CONFLICT` if somebody else decided meanwhile, so that
 * nothing is done.
 */
export async function noteVerdict(
  engine: Engine,
  context: CallContext,
  { tx, moment, log }: Mutation,
  { id, kind }: Proposal,
  verdict: {
    readonly state: Exclude<ProposalState, 'open'>
    readonly reason?: string | undefined
    readonly blockId?: string | undefined
    /** The accepted words, which may be others than the proposed ones. */
    readonly content?: string | undefined
  },
): Promise<void> {
  const { state, reason, blockId, content } = verdict
  const [proposal] = await readProposals(tx, [id])
  if (proposal?.state !== 'open') throw decidedBefore(proposal ?? id)
  const answer = reason === '' ? undefined : reason
  const decided = { state, decidedAt: moment.at, decidedBy: actorOf(engine, context) }
  await saveProposals(tx, [{ ...proposal, ...decided, ...defined({ answer, result: blockId, content }) }])
  await log({
    operation: 'decide',
    blockIds: [...new Set([proposal.target, blockId])].flatMap((each) => each ?? []),
    summary: `${state} ${NAMES[kind]} (${id})`,
    ...defined({ reason: answer }),
  })
}

/** Returns the refusal to decide about a proposal that was decided before. */
export function decidedBefore(proposal: Proposal | string): ElfmemError {
  const is = typeof proposal === 'string' ? 'gone' : proposal.state
  return new ElfmemError('WRONG_STATUS', `The proposal is ${is} already.`, {
    recovery: 'Take that decision back with undo(); history() has its number.',
  })
}

/**
 * Takes proposed words in as the owner's, in the scope in which they were proposed: as a new block with the tags of the kind, or in a block
 * that says the same. Returns the id of the block.
 */
export async function acceptNew(
  whole: Engine,
  context: CallContext,
  { proposal, content }: { readonly proposal: Proposal; readonly content: string },
): Promise<string> {
  const engine = proposal.scope === undefined ? whole : whole.within(proposal.scope)
  checkContent(content, engine.settings.memory)
  const sourceClass = highestFor(engine, context)
  const blockId = await mutate(engine, context, async (mutation) => {
    const { block } = await admit(engine, mutation, {
      ...{ content, tags: normaliseTags(TAGS_OF_NEW[proposal.kind] ?? []), category: DEFAULT_CATEGORY },
      ...{ source: 'proposal', sourceClass, session: 'setup', trusted: true, insists: true },
    })
    await noteVerdict(engine, context, mutation, proposal, { state: 'accepted', blockId: block.id, content })
    return block.id
  })
  engine.session.noteLearned(blockId)
  return blockId
}
