import { useEffect, useState } from 'preact/hooks'
import { call, type Output } from '../../api.ts'
import { type Verdict, verdictOf, verdictOfOutcome } from './verdict.ts'

/** Verdicts by the numbers of their entries, and those of single blocks: what was reported does not change afterwards. */
const known = new Map<string, Verdict>()

const NOTHING: Verdict = { helped: 0, misled: 0, beside: 0 }

/** True of an entry that reports what helped or misled. */
export function isReport({ operation }: { readonly operation: string }): boolean {
  return operation === 'outcome' || operation === 'settle'
}

/** The verdict of an entry that reports, read from what it changed; undefined of others, until it is there, and if it is not kept. */
export function useVerdict({
  id,
  operation,
}: {
  readonly id: number
  readonly operation: string
}): Verdict | undefined {
  return useKnown(isReport({ operation }) ? `entry ${id}` : undefined, async (signal) => {
    const answer = await call('history', { id, changes: true }, { signal })
    return answer.ok ? verdictOf(answer.value.operations.at(-1)?.changes ?? []) : undefined
  })
}

/** The verdict of the report about a block at a time. */
export function useReported(block: string, at: string): Verdict | undefined {
  return useKnown(`block ${block} ${at}`, async (signal) => {
    const answer = await call('show', { blockId: block, edgeLimit: 1 }, { signal })
    return answer.ok ? reportedAt(answer.value, at) : undefined
  })
}

function reportedAt({ outcomes }: Output<'show'>, at: string): Verdict {
  const found = outcomes.find((outcome) => outcome.at === at)
  return found === undefined ? NOTHING : { ...NOTHING, [verdictOfOutcome(found)]: 1 }
}

function useKnown(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Verdict | undefined>,
): Verdict | undefined {
  const [, setRead] = useState<string>()
  useEffect(() => {
    if (key === undefined || known.has(key)) return
    const ended = new AbortController()
    void read(ended.signal).then((verdict) => {
      if (verdict === undefined) return
      known.set(key, verdict)
      if (!ended.signal.aborted) setRead(key)
    })
    return () => ended.abort()
  }, [key])
  return key === undefined ? undefined : known.get(key)
}
