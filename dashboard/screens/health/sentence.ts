import { plural } from '../../format.ts'
import { pageWords } from '../../page-words.ts'

/** What is told first of a memory. */
export interface Sentence {
  readonly tone: 'good' | 'warn' | 'bad'
  readonly title: string
  readonly text: string
}

interface Stand {
  readonly health: 'good' | 'attention' | 'degraded'
  readonly reasons: readonly string[]
  readonly suggestion: string
  readonly decisionsWaiting: number
  readonly shouldDream: boolean
  readonly inboxCount: number
}

/** One sentence on how a memory is. Open decisions and a full inbox are never bad. */
export function sentenceOf(status: Stand): Sentence {
  const { health, reasons, suggestion, decisionsWaiting, shouldDream, inboxCount } = status
  const next = pageWords(suggestion)
  const why = pageWords(reasons.join(' · ')) || next
  if (health === 'degraded') return { tone: 'bad', title: 'Something is wrong', text: why }
  if (decisionsWaiting > 0)
    return {
      tone: 'warn',
      title: `${plural(decisionsWaiting, 'decision')} ${decisionsWaiting === 1 ? 'waits' : 'wait'} for you`,
      text: 'Everything works. Until you decide, recall shows the firmer of two words and names the other.',
    }
  if (shouldDream)
    return {
      tone: 'warn',
      title: 'A dream is due',
      text: `${plural(inboxCount, 'block')} ${inboxCount === 1 ? 'waits' : 'wait'}: recall finds them, and a dream joins them to what is known.`,
    }
  if (health === 'attention') return { tone: 'warn', title: 'It wants a little attention', text: why }
  return { tone: 'good', title: 'All is well', text: next }
}
