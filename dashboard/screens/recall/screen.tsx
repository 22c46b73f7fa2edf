import '../../styles/said.css'
import './recall.css'
import { useState } from 'preact/hooks'
import type { RecallResult } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { type Answer, call } from '../../api.ts'
import { changes } from '../../live.ts'
import { useLoad } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { setQuery } from '../../router.tsx'
import { Beside } from './beside.tsx'
import { Candidates } from './candidates.tsx'
import { Question } from './question.tsx'
import { type Asked, addressOf, askedIn, isAsked, lookOf } from './rules/asked.ts'
import { type Places, placesOf } from './rules/moves.ts'

/** A look, and how often the memory had changed by then. */
interface Looked {
  readonly answer: RecallResult
  readonly asked: Asked
  readonly changes: number
}

/** The lab of recall: a question as an agent asks it, what it would be given, and why. */
export function Screen({ query }: { readonly query: Query }) {
  const asked = askedIn(query)
  const key = JSON.stringify(asked)
  const { data, failure, isLoading, again } = useLoad((signal) => look(asked, signal), [key])
  const [before, setBefore] = useState<{ readonly key: string; readonly places: Places }>()
  const ask = (change: Partial<Asked>) => {
    const next = { ...asked, ...change }
    setQuery({ ...addressOf(next), open: undefined, why: undefined }, 'push')
    if (JSON.stringify(next) === key) again()
  }
  const reported = (ids: readonly string[]) => {
    setBefore({ key, places: placesOf(ids) })
    again()
  }
  const isOld = data !== undefined && data.changes !== changes.value && !isLoading
  return (
    <div class="sheet">
      <Question key={key} asked={asked} onAsk={ask} />
      {failure && <Failure why={failure} again={again} />}
      {data === undefined && isLoading && isAsked(asked) && (
        <section class="card card-body">
          <Skeleton lines={8} />
        </section>
      )}
      {!isAsked(asked) && <Unasked />}
      {isOld && <Changed again={again} />}
      {data && isAsked(asked) && (
        <div class={isLoading ? 'grid lab is-stale' : 'grid lab'} aria-busy={isLoading}>
          <Candidates
            {...{ answer: data.answer, asked: data.asked, query, ask, again, reported }}
            before={before?.key === key ? before.places : undefined}
          />
          <Beside answer={data.answer} asked={data.asked} query={query} again={again} />
        </div>
      )}
    </div>
  )
}

async function look(asked: Asked, signal: AbortSignal): Promise<Answer<Looked | undefined>> {
  if (!isAsked(asked)) return { ok: true, value: undefined }
  const seen = changes.value
  const answer = await call('recall', lookOf(asked), { signal })
  return answer.ok ? { ok: true, value: { answer: answer.value, asked, changes: seen } } : answer
}

function Unasked() {
  return (
    <section class="card">
      <Empty icon="flask" title="Ask as your agent would">
        You see what it would be given, what was left out, and why. Then you say what helped: that is how the
        memory learns.
      </Empty>
    </section>
  )
}

/** The answer stays as it is until somebody asks anew: nothing moves under the hand. */
function Changed({ again }: { readonly again: () => void }) {
  return (
    <p class="row small second changed-since" role="status">
      The memory has changed since.
      <Button size="small" icon="undo" onClick={again}>
        Ask again
      </Button>
    </p>
  )
}
