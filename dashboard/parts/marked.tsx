import type { TextPart } from './word-difference.ts'

/** Words whose differences are marked the same on both sides: neither is the wrong one yet. */
export function Marked({ parts }: { readonly parts: readonly TextPart[] }) {
  return parts.map(({ text, isOther }, at) => {
    return isOther ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>
  })
}
