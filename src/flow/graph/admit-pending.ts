import { CONTRADICTS, contradictionOf, orderedPair, type PendingConnection } from '../../domain/graph/edge.ts'
import { assertedEdge } from '../../domain/graph/rules.ts'
import { count, defined } from '../../domain/text/text.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { type Displacement, Linker } from './linker.ts'

/** Connections looked at in one transaction. */
const BATCH = 100

/** The numbers of connections that found room and that still wait, and those given up. */
export interface AdmittedPending {
  readonly admitted: number
  readonly remaining: number
  /** Dropped after too many tries, or because two agents' words met: the blocks are joined by now. */
  readonly dropped: readonly PendingConnection[]
  readonly displacements: readonly Displacement[]
}

/** Joins waiting connections, oldest first, as the degree cap allows. A few statements for 100 of them. */
export async function admitPending(engine: Engine, context: CallContext): Promise<AdmittedPending> {
  const { pendingMax } = engine.settings.graph
  const waiting = await engine.store.read((tx) => tx.pendingConnections(pendingMax))
  const total = {
    admitted: 0,
    remaining: 0,
    dropped: [] as PendingConnection[],
    displacements: [] as Displacement[],
  }
  for (let at = 0; at < waiting.length; at += BATCH) {
    const batch = waiting.slice(at, at + BATCH)
    const work = (mutation: Mutation) => admitBatch(engine, mutation, batch)
    const done = await mutate(engine, context, work, { durable: false })
    total.admitted += done.admitted
    total.remaining += done.remaining
    total.dropped.push(...done.dropped)
    total.displacements.push(...done.displacements)
  }
  return total
}

async function admitBatch(
  engine: Engine,
  { tx, moment, log }: Mutation,
  batch: readonly PendingConnection[],
): Promise<AdmittedPending> {
  const { graph } = engine.settings
  // Taken off the list first, so that what another process did meanwhile is not done again.
  const waiting = await tx.removePendingConnections(batch.map(({ source, target }) => [source, target]))
  const linker = await Linker.open(
    engine,
    { tx, moment },
    waiting.flatMap(({ source, target }) => [source, target]),
    { heedDisconnections: false },
  )
  const back: PendingConnection[] = []
  const dropped: PendingConnection[] = []
  let admitted = 0
  for (const connection of waiting) {
    const { source, target, relation, weight, note, validFrom, validUntil } = connection
    if (linker.between(source, target)) {
      dropped.push(connection)
      continue
    }
    const claim = { relation, weight, ...defined({ note, validFrom, validUntil }) }
    const edge = assertedEdge(orderedPair(source, target), claim, { ...moment, source })
    if (linker.add(edge).admitted) admitted++
    else if (connection.attempts + 1 >= graph.pendingAttempts) dropped.push(connection)
    else back.push({ ...connection, attempts: connection.attempts + 1 })
  }
  const { added, displacements } = await linker.save(tx)
  const contradictions = added.filter(({ relation }) => relation === CONTRADICTS)
  await tx.savePairs(contradictions.map((edge) => contradictionOf(edge, 'agent')))
  await tx.savePendingConnections(back)
  await log({
    operation: 'connect',
    blockIds: [...new Set(added.flatMap(({ from, to }) => [from, to]))],
    summary: `${count(admitted, 'waiting connection')} admitted, ${dropped.length} dropped`,
    before: { displacements, dropped },
  })
  return { admitted, remaining: back.length, dropped, displacements }
}
