import { questionWords } from '../text/text.ts'

/** Hexadecimal digits of a question that a mark keeps: enough to tell questions of minutes apart, too few to say more. */
const DIGITS = 8

const MINUTES = 60

/** The facts that a staged pair keeps of a question that brought both blocks. */
export interface QuestionMark {
  readonly mark: string
  /** Marks of the same question so shortly before, or at the same time. */
  readonly sameAs: readonly string[]
}

interface Asked {
  /** Active hours. */
  readonly hours: number
  /** The same question within so many active minutes is one. */
  readonly sameMinutes: number
}

/** Returns the mark of a question: a digest of its words, whatever their case and signs, and the active minute it was asked. */
export function markOfQuestion(
  question: string,
  { hours, sameMinutes }: Asked,
  sha256Hex: (text: string) => string,
): QuestionMark {
  const digest = sha256Hex(questionWords(question)).slice(0, DIGITS)
  const minute = Math.round(hours * MINUTES)
  const at = (ago: number) => `${digest}@${minute - ago}`
  return { mark: at(0), sameAs: Array.from({ length: sameMinutes }, (_, ago) => at(ago)) }
}
