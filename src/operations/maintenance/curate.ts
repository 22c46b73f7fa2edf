import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { type CurateResult, curate as run } from '../../dream/curate.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, someIds } from '../wording.ts'

const SHRUNK = 0.25

/** Returns counts of what a curation archived, removed and joined, in steps that are whole by themselves. */
export const curate = defineScopedOperation({
  name: 'curate',
  summary: 'Tidy at rest: archive what faded, drop dead edges, refresh identity.',
  guide: {
    when: 'At rest, when no dream did it lately: a dream curates by itself every 40 active hours.',
    whenNot: 'To get rid of one block use forget(), of one edge disconnect().',
    next: 'Read archived. What should have stayed: restore().',
    example: 'const { archived } = await memory.curate()',
  },
  tools: 'all',
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: false,
  input: z.object({}),
  output: z.object({
    edgesPruned: z.int().describe('Edges that were weak and never used'),
    edgesDecayed: z.int().describe('Edges that faded for want of use'),
    archived: z.array(z.string()).readonly().describe('Blocks that faded; restore brings each back'),
    pendingAdmitted: z.int().describe('Waiting connections that found room'),
    pendingRemaining: z.int(),
    pendingDropped: schemas.pendingDropped,
    promoted: z.int().describe('Pairs that use had brought together and that found room'),
    evictedEdges: schemas.evictedEdges,
    reinforced: z.int().describe('Identity blocks kept fresh, principles not counted'),
    constitutionalReinforced: z.int(),
    totalEdgesAfter: z.int(),
    logTrimmed: z.int(),
    hint: z.string().optional(),
    summary: schemas.summary,
  }),
  run: async (engine, _input, context) => {
    const done = await run(engine, context)
    const { edges, archived, pending, kept, counts } = done
    const hint = hintFor(done)
    return {
      edgesPruned: edges.pruned,
      edgesDecayed: edges.decayed,
      archived,
      pendingAdmitted: pending.admitted,
      pendingRemaining: pending.remaining,
      pendingDropped: pending.dropped.length,
      promoted: done.promoted,
      evictedEdges: schemas.toEvictedEdges(done.displaced),
      reinforced: kept.others,
      constitutionalReinforced: kept.constitutional,
      totalEdgesAfter: counts.edges,
      logTrimmed: done.logTrimmed,
      ...defined({ hint }),
      summary: summaryOf(done, hint),
    }
  },
})

function summaryOf(done: CurateResult, hint: string | undefined): string {
  const { edges, archived, pending, kept, stagingDropped, logTrimmed, sessionsTrimmed } = done
  const parts = sentences(
    edges.pruned > 0 && `${count(edges.pruned, 'weak edge')} dropped.`,
    edges.decayed > 0 && `${count(edges.decayed, 'faded edge')} dropped, ${done.counts.edges} left.`,
    archived.length > 0 &&
      `${count(archived.length, 'faded block')} archived (${someIds(archived)}); restore() brings one back.`,
    pending.admitted > 0 && `${count(pending.admitted, 'waiting connection')} made.`,
    pending.remaining > 0 && `${count(pending.remaining, 'connection')} still wait for room.`,
    pending.dropped.length > 0 && `${count(pending.dropped.length, 'waiting connection')} given up.`,
    done.promoted > 0 && `${count(done.promoted, 'pair')} joined by use.`,
    done.displaced.length > 0 && `${count(done.displaced.length, 'weaker edge')} gave way.`,
    kept.constitutional + kept.others > 0 &&
      `${kept.constitutional + kept.others} of the identity kept fresh.`,
    stagingDropped > 0 && `${count(stagingDropped, 'staged pair')} dropped.`,
    logTrimmed > 0 && `${count(logTrimmed, 'old log entry', 'old log entries')} dropped.`,
    sessionsTrimmed > 0 && `${count(sessionsTrimmed, 'old session')} dropped.`,
  )
  return parts === '' ? 'Nothing needed curating.' : sentences(parts, hint)
}

/** The share counts edges that went against those there were (the seeds' rule). */
function hintFor({ edges: { pruned, decayed }, counts }: CurateResult): string | undefined {
  const gone = pruned + decayed
  if (gone === 0) return undefined
  if (gone / (gone + counts.edges) > SHRUNK)
    return 'The graph shrank a lot; recalling and reporting outcomes builds it anew.'
  return decayed > 0 ? 'Edges that recall and outcome use do not fade.' : undefined
}
