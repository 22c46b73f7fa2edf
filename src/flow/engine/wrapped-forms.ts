import type { Block } from '../../domain/block/block.ts'
import { shown } from '../../domain/safety/visible.ts'
import { undressed } from '../../domain/text/same-text.ts'
import { isWhitespace } from '../../domain/text/text.ts'

/** One thing that was shown, as it may stand in a text whose lines were broken anew. */
interface ShownForm {
  /** Its words, a number in brackets as `[#]`; a blank in it may be any white space. */
  readonly pattern: string
  /** The line that a frame wrote of it. */
  readonly line: string
  /**
   * `entry`: nothing but a frame writes it so; a line may break within its words, and other words may follow. `line`: the
   * same, but no words follow. `prose`: words that may be anybody's; lines break at its blanks alone.
   */
  readonly kind: 'entry' | 'line' | 'prose'
}

/** A form that stands at a place of a text. */
export interface FoundForm {
  /** As a frame wrote it. */
  readonly line: string
  readonly end: number
}

/** So many signs without white space are looked up before a form is compared: many, and for short forms few. */
const KEY_LENGTHS = [48, 6] as const
const [LONG_KEY, SHORT_KEY] = KEY_LENGTHS
/** White space in a row that may stand for a blank; more is a gap. */
const WHITE_MOST = 200

/** All that was shown, to be found in texts that were wrapped, filled or folded since. */
export class WrappedForms {
  readonly #byKey = new Map<string, ShownForm[]>()
  readonly #patterns = new Set<string>()
  /** Keys whose forms are sorted. */
  readonly #inOrder = new Set<string>()

  /** Keeps a form; of two with the same words the first stays. Forms shorter than a key are left out. */
  add(form: ShownForm): void {
    const key = keyAt(form.pattern, 0)
    if (key.length < SHORT_KEY || this.#patterns.has(form.pattern)) return
    this.#patterns.add(form.pattern)
    const own = key.length < LONG_KEY ? key.slice(0, SHORT_KEY) : key
    this.#inOrder.delete(own)
    const alike = this.#byKey.get(own)
    if (alike === undefined) this.#byKey.set(own, [form])
    else alike.push(form)
  }

  /** The longest form that begins at a place of a text; within a line none that may be anybody's words. */
  at(text: string, start: number, { isWithin }: { readonly isWithin: boolean }): FoundForm | undefined {
    let longest: FoundForm | undefined
    for (const { line, end, kind } of this.#all(text, start))
      if (end > (longest?.end ?? start) && !(isWithin && kind === 'prose') && this.#isParted(text, end, kind))
        longest = { line, end }
    return longest
  }

  *#all(text: string, start: number): Generator<FoundForm & Pick<ShownForm, 'kind'>> {
    const key = keyAt(text, start)
    for (const length of KEY_LENGTHS)
      if (key.length >= length) yield* this.#among(this.#sorted(key.slice(0, length)), text, start)
  }

  *#among(
    forms: readonly ShownForm[],
    text: string,
    start: number,
  ): Generator<FoundForm & Pick<ShownForm, 'kind'>> {
    let failed: { readonly beginning: string; readonly isProse: boolean } | undefined
    for (const form of forms) {
      const isProse = form.kind === 'prose'
      // Many blocks may begin alike: what failed within the same words fails again.
      if (failed && (isProse || !failed.isProse) && form.pattern.startsWith(failed.beginning)) continue
      const { end, failedAt } = endOf(form, text, start)
      if (end !== undefined) yield { line: form.line, end, kind: form.kind }
      if (failedAt !== undefined) failed = { beginning: form.pattern.slice(0, failedAt + 1), isProse }
    }
  }

  /** The forms with a key, those that begin alike beside each other. */
  #sorted(key: string): readonly ShownForm[] {
    const forms = this.#byKey.get(key) ?? []
    if (forms.length > 1 && !this.#inOrder.has(key)) {
      forms.sort((one, other) => (one.pattern < other.pattern ? -1 : 1))
      this.#inOrder.add(key)
    }
    return forms
  }

  /** True where other words may follow, a line ends, or the next form follows on it. */
  #isParted(text: string, end: number, kind: ShownForm['kind']): boolean {
    if (kind === 'entry' || isLineEnd(text, end)) return true
    return [...this.#all(text, skipBlanks(text, end))].some((next) => next.kind !== 'prose')
  }
}

const NUMBER = /\[\d{1,4}\]/y

function numberAt(text: string, at: number): string | undefined {
  NUMBER.lastIndex = at
  return NUMBER.exec(text)?.[0]
}

/** The first signs of a form from a place on, without white space. */
function keyAt(text: string, start: number): string {
  const number = numberAt(text, start)
  let key = number === undefined ? '' : '[#]'
  let at = start + (number?.length ?? 0)
  for (const end = at + LONG_KEY + WHITE_MOST; at < end && at < text.length && key.length < LONG_KEY; at++)
    if (!isWhite(text, at)) key += text.charAt(at)
  return key
}

/** Where a form ends in a text, or the place in its pattern from which on it does not stand there. */
interface Compared {
  readonly end?: number
  readonly failedAt?: number
}

/** Compares a form with a text from a place on; neither where the form is there, and a word goes on behind it. */
function endOf(form: ShownForm, text: string, start: number): Compared {
  const number = form.pattern.startsWith('[#]') ? numberAt(text, start) : ''
  if (number === undefined) return { failedAt: '[#]'.length - 1 }
  const found = endOfWords(form, text, {
    from: number === '' ? 0 : '[#]'.length,
    start: start + number.length,
  })
  const { end: at } = found
  if (at === undefined) return found
  const isWhole =
    form.kind === 'entry'
      ? AROUND.test(text.slice(at, at + AROUND_MOST))
      : at === text.length || isWhite(text, at)
  return isWhole ? found : {}
}

function endOfWords(
  { pattern, kind }: ShownForm,
  text: string,
  { from, start }: { readonly from: number; readonly start: number },
): Compared {
  let at = start
  for (let i = from; i < pattern.length; i++) {
    if (isWhite(pattern, i)) {
      const next = skipWhite(text, at)
      if (next === at) return { failedAt: i }
      at = next
      i = skipWhite(pattern, i) - 1
      continue
    }
    // What folds lines breaks them within words, too, and indents none.
    if (kind !== 'prose' && i > 0) at = skipLineEnd(text, at)
    if (text.charCodeAt(at) !== pattern.charCodeAt(i)) return { failedAt: i }
    at++
  }
  return { end: at }
}

/** Signs that say nothing may close what stands around an entry. */
const AROUND = /^["'”’»*_`.,;)]{0,3}(?:\s|$)/
const AROUND_MOST = 4

function skipLineEnd(text: string, at: number): number {
  if (text.charAt(at) === '\n') return at + 1
  return text.startsWith('\r\n', at) ? at + 2 : at
}

function skipWhite(text: string, from: number): number {
  let at = from
  while (at < from + WHITE_MOST && isWhite(text, at)) at++
  return at
}

/** Where the next sign on the same line stands, or the line's end. */
export function skipBlanks(text: string, from: number): number {
  let at = from
  while (text.charAt(at) !== '\n' && isWhite(text, at)) at++
  return at
}

/** True if nothing but blanks follows on the line. */
export function isLineEnd(text: string, from: number): boolean {
  const at = skipBlanks(text, from)
  return at === text.length || text.charAt(at) === '\n'
}

function isWhite(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  // Nearly all signs are told apart here, without a look at the ranges.
  if (unit > 0x20 && unit < 0x7f) return false
  return unit === 0x20 || unit === 0x0a || isWhitespace(unit)
}

/** Plain sentences: the only words without a mark that say the same however their lines break. */
const PROSE = /^\p{L}[^"“”«»`<>=|\\{}[\]\n]*[.!?)\p{L}\p{N}]$/u

/** The forms of a block's entry that a text may repeat, those with its id in other places or at full length among them. */
export function formsToFind(block: Block, forms: readonly string[]): ShownForm[] {
  const { id, content } = block
  const words = new Set([content, shown(content), undressed(content), undressed(shown(content))])
  const short = id.slice(0, SHORT_ID)
  const marked = forms.find((form) => form.startsWith('[#] ')) ?? forms[0] ?? ''
  const line = lineOf(marked)
  const withIds = forms.flatMap((form) => [
    ...(words.has(form)
      ? [`[#] ${form} (${short})`, `[#] ${form} (${id})`, `${short} ${form}`, `${id} ${form}`]
      : []),
    ...(form.endsWith(`(${short})`) ? [] : [`${form} (${short})`]),
    form.endsWith(`(${short})`) ? form.replace(ID_AT_END, `(${id})`) : `${form} (${id})`,
  ])
  return [
    ...forms.flatMap((form): ShownForm[] => {
      if (!words.has(form)) return [{ pattern: form, line: lineOf(form), kind: kindOf(form) }]
      return PROSE.test(form) ? [{ pattern: form, line: form, kind: 'prose' }] : []
    }),
    ...withIds.map((pattern): ShownForm => ({ pattern, line, kind: 'entry' })),
  ]
}

/** Signs of a short id. */
const SHORT_ID = 8
const ID_AT_END = /\([0-9a-f]{8}\)$/

function kindOf(form: string): 'entry' | 'line' {
  return form.startsWith('[') ? 'entry' : 'line'
}

function lineOf(form: string): string {
  return form.replace(/^\[#\]/, '[1]')
}
