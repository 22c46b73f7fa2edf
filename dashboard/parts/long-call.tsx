import { useRef, useState } from 'preact/hooks'
import type { Input, OperationName, Output } from '../api.ts'
import { change } from '../change.ts'
import { number } from '../format.ts'
import { progress } from '../live.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface LongCallProps<N extends 'dream' | 'curate' | 'doctor' | 'backup'> {
  readonly name: N
  readonly input: Input<N & OperationName>
  /** The words of the button, and while it runs. */
  readonly words: string
  readonly running: string
  readonly tone?: 'primary'
  readonly icon?: 'dream'
  /** Says what it does, and asks, before it does it. */
  readonly asks?: string
  readonly onDone?: (value: Output<N & OperationName>) => void
}

let calls = 0

/** A button for what takes a while: says how far it is, and can be cancelled. */
export function LongCall<N extends 'dream' | 'curate' | 'doctor' | 'backup'>(props: LongCallProps<N>) {
  const { name, input, words, running, tone, icon, asks, onDone } = props
  const [call, setCall] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const abort = useRef<AbortController>(undefined)
  const start = async () => {
    setAsking(false)
    const mine = `${name}-${++calls}-${Date.now()}`
    abort.current = new AbortController()
    setCall(mine)
    const answer = await change(name, input, {
      ...{ call: mine, signal: abort.current.signal },
      again: { what: words, run: () => void start() },
    })
    setCall(undefined)
    if (answer.ok) onDone?.(answer.value)
  }
  if (call === undefined)
    return (
      <>
        <Button
          {...(tone && { tone })}
          {...(icon && { icon })}
          onClick={() => (asks === undefined ? void start() : setAsking(true))}
        >
          {asks === undefined ? words : `${words}…`}
        </Button>
        {isAsking && (
          <Dialog
            title={`${words}?`}
            onClose={() => setAsking(false)}
            foot={
              <>
                <Button onClick={() => setAsking(false)}>Not now</Button>
                <Button tone="primary" onClick={() => void start()}>
                  {words}
                </Button>
              </>
            }
          >
            <p class="second">{asks}</p>
          </Dialog>
        )}
      </>
    )
  return (
    <span class="row" role="status">
      <span class="small second">
        {running}
        {progressWords(call)}
      </span>
      <Button size="small" onClick={() => abort.current?.abort()}>
        Cancel
      </Button>
    </span>
  )
}

function progressWords(call: string): string {
  const told = progress.value
  if (told?.call !== call || told.total === 0) return '…'
  return `: ${told.stage} ${number(told.done)} of ${number(told.total)}`
}
