import { wordDifference } from '../parts/word-difference.ts'
import { shown } from '../shown.ts'

interface ChangedProps {
  readonly before: string
  readonly after: string
}

/** Two texts: what is gone struck, what is new underlined. */
export function Changed({ before, after }: ChangedProps) {
  const [was, is] = wordDifference(before, after)
  return (
    <div class="changed">
      <p dir="auto">
        <span class="unseen">Before: </span>
        {was.map(({ text, isOther }, at) => (isOther ? <del key={at}>{shown(text)}</del> : shown(text)))}
      </p>
      <p dir="auto">
        <span class="unseen">After: </span>
        {is.map(({ text, isOther }, at) => (isOther ? <ins key={at}>{shown(text)}</ins> : shown(text)))}
      </p>
    </div>
  )
}
