import type { Block } from '../../domain/block/block.ts'
import type { SourceClass } from '../../domain/block/source-class.ts'
import { CONTRADICTS, type PendingConnection } from '../../domain/graph/edge.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { Linker, keyOf as pairKey } from '../graph/linker.ts'
import { highestFor, isAbove } from '../guard/caller.ts'
import { type ResolvedIds, resolveIds } from '../guard/check-input.ts'
import { endsOfAll, mustNotBeOwners } from './assertions.ts'
import { type Aside, type ConnectResult, type ConnectSpec, claim } from './claim.ts'
import { notConnectable, selfLoop, tooManyWait } from './connect-errors.ts'

/** Why one of many connections was not made. */
export interface ConnectFailure {
  readonly index: number
  readonly error: ElfmemError
}

/** Joins two blocks by what an agent knows about them. One transaction of at most twenty statements, no model. */
export async function connect(
  engine: Engine,
  context: CallContext,
  spec: ConnectSpec,
): Promise<ConnectResult> {
  return mutate(engine, context, async (mutation) => {
    const [made] = await connectAll(engine, { mutation, context, specs: [spec] }, (error) => {
      throw error
    })
    return made as ConnectResult
  })
}

/**
 * Joins many pairs in one transaction. One that is refused changes nothing and is reported by its place; the others
 * are made. Everything is decided before anything is written, so that a refusal has nothing to undo.
 */
export function connects(
  engine: Engine,
  context: CallContext,
  specs: readonly ConnectSpec[],
): Promise<{ readonly made: readonly ConnectResult[]; readonly failed: readonly ConnectFailure[] }> {
  return mutate(engine, context, async (mutation) => {
    const failed: ConnectFailure[] = []
    const made = await connectAll(engine, { mutation, context, specs }, (error, index) => {
      failed.push({ index, error })
    })
    return { made, failed }
  })
}

/** The open pairs that end when an agent says how two blocks relate; that one takes the other's place was said by somebody. */
const SETTLED = ['near_duplicate', 'perhaps_newer', 'contradiction'] as const

/** How one pair is joined on a command line, in whatever call it came. */

interface Asked {
  readonly mutation: Mutation
  readonly context: CallContext
  readonly specs: readonly ConnectSpec[]
}

async function connectAll(
  engine: Engine,
  { mutation, context, specs }: Asked,
  refuse: (error: ElfmemError, index: number) => void,
): Promise<ConnectResult[]> {
  const { tx, moment } = mutation
  const { settings } = engine
  const resolved = await resolveIds(
    tx,
    specs.flatMap(({ source, target }) => [source, target]),
    { ambiguous: 'report' },
  )
  const blocks = new Map((await tx.blocks(resolved.ids)).map((block) => [block.id, block]))
  const linker = await Linker.open(engine, { tx, moment }, resolved.ids, { heedDisconnections: false })
  const aside: Aside = { pending: [], pairs: new Map(), before: [] }
  const made: ConnectResult[] = []
  const assertedBy = highestFor(engine, context)
  for (const [index, spec] of specs.entries())
    try {
      const ends = endsOf(spec, resolved, blocks)
      const edge = spec.ifExists === 'update' ? linker.between(...ends) : undefined
      if (edge)
        await mustNotBeOwners(engine, context, {
          tx,
          edge,
          done: 'changed',
          call: { operation: 'connect', input: { ...spec }, memory: engine.store.location },
        })
      const above = ends.find((id) => isAbove(engine, context, blocks.get(id) as Block))
      const claiming = { spec, ends, context: { ...moment, source: ends[0] }, by: assertedBy, aside }
      const result = claim(engine, linker, { ...claiming, maySettle: above === undefined })
      made.push(withProposal(result, above))
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      refuse(error, index)
    }
  await write(mutation, linker, {
    made,
    aside,
    pendingMax: settings.graph.pendingMax,
    assertedBy,
  })
  engine.session.noteTouched(made.flatMap(({ sourceId, targetId }) => [sourceId, targetId]))
  return made
}

/** The two blocks by whole id; throws one error for each way in which they cannot be joined. */
function endsOf(
  { source, target }: ConnectSpec,
  resolved: ResolvedIds,
  blocks: ReadonlyMap<string, Block>,
): readonly [string, string] {
  const ids = [source, target].map((given) => {
    const candidates = resolved.ambiguous.get(given.trim())
    if (candidates) throw candidates
    const id = resolved.byGiven.get(given.trim())
    if (id === undefined) throw notConnectable(given, 'block_not_found')
    return id
  }) as [string, string]
  if (ids[0] === ids[1]) throw selfLoop(ids[0])
  const archived = ids.find((id) => blocks.get(id)?.status === 'archived')
  if (archived !== undefined) throw notConnectable(archived, 'block_not_active')
  return ids
}

/** The answer with a word on a contradiction of what is trusted more than the caller: only the owner settles it. */
function withProposal(result: ConnectResult, above: string | undefined): ConnectResult {
  if (result.relation !== CONTRADICTS || result.action === 'skipped' || above === undefined) return result
  const proposal = `${above} holds the owner's words: the pair is open for the owner to resolve.`
  return { ...result, warning: [result.warning, proposal].filter(Boolean).join(' ') }
}

interface Written {
  readonly made: readonly ConnectResult[]
  readonly aside: Aside
  readonly pendingMax: number
  readonly assertedBy: SourceClass
}

async function write(
  { tx, log }: Mutation,
  linker: Linker,
  { made, aside, pendingMax, assertedBy }: Written,
): Promise<void> {
  const changed = made.filter(({ action }) => action !== 'skipped')
  if (changed.length === 0) return
  const ends = endsOfAll(changed)
  const { displacements } = await linker.save(tx)
  await tx.removeDisconnections(ends)
  // What is joined now need not wait any more.
  await tx.removePendingConnections(endsOfAll(changed.filter(({ action }) => action !== 'deferred')))
  if (aside.pending.length > 0) await defer(tx, aside.pending, pendingMax)
  const words = [...aside.pairs.values()]
  const contradictions = words.flatMap(({ pair }) => pair ?? [])
  if (contradictions.length > 0) await tx.savePairs(contradictions)
  const settled = words.flatMap(({ ends, pair }) => (pair === undefined ? [ends] : []))
  await tx.resolvePairs(settled, SETTLED)
  // How they relate is said: no model, host or owner is asked any more.
  await tx.removeUnlabelled(ends)
  const first = changed[0] as ConnectResult
  await log({
    operation: 'connect',
    blockIds: [...new Set(ends.flat())],
    summary:
      // No relation: its name is the caller's, and an erasure takes it from rows, not from sentences.
      changed.length === 1 ? `${first.action}: two blocks` : `${changed.length} connections`,
    ...(first.note === undefined || changed.length > 1 ? {} : { reason: first.note }),
    before: { edges: aside.before, displacements, by: assertedBy, ends },
  })
}

async function defer(tx: StoreWriter, pending: readonly PendingConnection[], most: number): Promise<void> {
  const waiting = await tx.pendingConnections(most)
  const keyOf = ({ source, target }: PendingConnection) => pairKey([source, target])
  const known = new Set(waiting.map(keyOf))
  // The last word on a pair counts, and counts once.
  const latest = new Map(pending.map((each) => [keyOf(each), each]))
  const fresh = [...latest.keys()].filter((key) => !known.has(key))
  if (waiting.length + fresh.length > most) throw tooManyWait(most, waiting.length)
  await tx.savePendingConnections([...latest.values()])
}
