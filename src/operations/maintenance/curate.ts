import * as z from 'zod'
import { count } from '../../domain/text/text.ts'
import { type CurateResult, curate as run } from '../../flow/curate/curate.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, someIds } from '../wording.ts'

const SHRUNK = 0.25

export const curate = defineScopedOperation({
  name: 'curate',
  summary: 'Tidy at rest: archive what faded, drop dead edges, keep identity fresh.',
  guide: {
    when: 'At rest, when no dream did it lately: a dream curates by itself every 40 active hours.',
    whenNot: 'To get rid of one block (forget) or one edge (disconnect).',
    next: 'Read archived; restore what should have stayed.',
    example: 'const { archived } = await memory.curate()',
  },
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
    displacedEdges: schemas.displacedEdges,
    reinforced: z.int().describe('Identity blocks kept fresh, principles not counted'),
    constitutionalReinforced: z.int(),
    totalEdgesAfter: z.int(),
    graph: z.object({
      edges: z.int(),
      byRelation: z.record(z.string(), z.int()),
      byOrigin: z.record(z.string(), z.int()),
      isolated: z.int().describe('Active blocks without any edge'),
    }),
    stagingDropped: z.int(),
    logTrimmed: z.int(),
    sessionsTrimmed: z.int(),
    erased: z
      .int()
      .describe('Blocks forgotten so long ago that they are gone for ever (memory.keepForgottenDays)'),
    hint: z.string().optional(),
    summary: schemas.summary,
  }),
  run: async (engine, _input, context) => {
    const done = await run(engine, context)
    const { graph, displaced, pendingDropped, ...result } = done
    const hint = hintFor(done)
    return {
      ...result,
      pendingDropped: schemas.toPendingDropped(pendingDropped),
      displacedEdges: schemas.toDisplacedEdges(displaced),
      graph: { ...graph, byRelation: { ...graph.byRelation }, byOrigin: { ...graph.byOrigin } },
      ...(hint === undefined ? {} : { hint }),
      summary: summaryOf(done, hint),
    }
  },
  render: ({ summary }) => summary,
})

function summaryOf(done: CurateResult, hint: string | undefined): string {
  const {
    edgesPruned,
    edgesDecayed,
    archived,
    reinforced,
    constitutionalReinforced,
    stagingDropped,
    logTrimmed,
    sessionsTrimmed,
    erased,
  } = done
  const parts = sentences(
    edgesPruned > 0 && `${count(edgesPruned, 'weak edge')} dropped.`,
    edgesDecayed > 0 && `${count(edgesDecayed, 'faded edge')} dropped, ${done.totalEdgesAfter} left.`,
    archived.length > 0 &&
      `${count(archived.length, 'faded block')} archived (${someIds(archived)}); restore brings one back.`,
    done.pendingAdmitted > 0 && `${count(done.pendingAdmitted, 'waiting connection')} made.`,
    done.pendingRemaining > 0 && `${count(done.pendingRemaining, 'connection')} still wait for room.`,
    done.pendingDropped.length > 0 &&
      `${count(done.pendingDropped.length, 'waiting connection')} given up (see pendingDropped).`,
    done.promoted > 0 && `${count(done.promoted, 'pair')} joined by use.`,
    done.displaced.length > 0 && `${count(done.displaced.length, 'weaker edge')} gave way.`,
    reinforced + constitutionalReinforced > 0 &&
      `${constitutionalReinforced + reinforced} of the identity kept fresh.`,
    stagingDropped > 0 && `${count(stagingDropped, 'staged pair')} dropped.`,
    logTrimmed > 0 && `${count(logTrimmed, 'old log entry', 'old log entries')} dropped.`,
    sessionsTrimmed > 0 && `${count(sessionsTrimmed, 'old session')} dropped.`,
    erased > 0 && `${count(erased, 'block')} forgotten long ago erased for ever.`,
  )
  return parts === '' ? 'Nothing needed curating.' : sentences(parts, hint)
}

/** The share counts edges that went against those there were (the seeds' rule). */
function hintFor({ edgesPruned, edgesDecayed, totalEdgesAfter }: CurateResult): string | undefined {
  const gone = edgesPruned + edgesDecayed
  if (gone === 0) return undefined
  if (gone / (gone + totalEdgesAfter) > SHRUNK)
    return 'The graph shrank a lot; recalling and reporting outcomes builds it anew.'
  return edgesDecayed > 0 ? 'Edges that recall and outcome use do not fade.' : undefined
}
