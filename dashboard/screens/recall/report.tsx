import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { change, sayFailure } from '../../change.ts'
import { Button } from '../../parts/button.tsx'
import { type Asked, lookOf } from './rules/asked.ts'
import { idsMarked, type Mark } from './rules/moves.ts'

/** Longest part of the question in the source of a report, in characters. */
const QUESTION_MOST = 80

interface ReportProps {
  readonly marks: ReadonlyMap<string, Mark>
  readonly asked: Asked
  readonly onClear: () => void
  readonly onDone: () => void
}

/** The marks so far and the button that reports them; it stays in sight at the end of the list. */
export function Report({ marks, asked, onClear, onDone }: ReportProps) {
  const [isBusy, setBusy] = useState(false)
  if (marks.size === 0) return null
  const [helped, misled] = [idsMarked(marks, 'helped'), idsMarked(marks, 'misled')]
  const report = async () => {
    setBusy(true)
    const isDone = await send({ helped, misled }, asked)
    setBusy(false)
    if (isDone) onDone()
  }
  const parts = [
    ...(helped.length > 0 ? [`${helped.length} helped`] : []),
    ...(misled.length > 0 ? [`${misled.length} misled`] : []),
  ]
  return (
    <div class="report" role="status">
      <span class="grow">{parts.join(', ')}</span>
      <Button tone="quiet" onClick={onClear}>
        Clear
      </Button>
      <Button tone="primary" disabled={isBusy} onClick={() => void report()}>
        Report outcome
      </Button>
    </div>
  )
}

interface Verdicts {
  readonly helped: readonly string[]
  readonly misled: readonly string[]
}

/**
 * Reports about this very question: evidence about such questions belongs to a recall of it, and a look is none, so it is asked
 * once as an agent asks.
 */
async function send({ helped, misled }: Verdicts, asked: Asked): Promise<boolean> {
  const { explain: _explain, suggest: _suggest, ...question } = lookOf(asked)
  const recalled = await call('recall', { ...question, reinforce: true })
  if (!recalled.ok) {
    sayFailure(recalled.failure)
    return false
  }
  const { recallId } = recalled.value
  const reported = await change('outcome', {
    ...(recallId === undefined ? {} : { recallId }),
    ...(helped.length > 0 ? { helped } : {}),
    ...(misled.length > 0 ? { misled } : {}),
    source: `dashboard: ${asked.query.slice(0, QUESTION_MOST)}`,
  })
  return reported.ok
}
