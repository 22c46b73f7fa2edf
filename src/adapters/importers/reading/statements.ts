/** A statement of a Markdown text, and the headings above it. */
export interface Statement {
  readonly text: string
  /** The innermost heading above; undefined before the first. */
  readonly heading: string | undefined
}

const BULLETS: ReadonlySet<string> = new Set(['- ', '* ', '+ '])

/**
 * The statements of a text with rules: each item of a list with what is indented under it, and each paragraph. A block of code
 * stays with the statement above it, unless that is only the name of another file. One pass over the lines.
 */
export function statementsIn(text: string): Statement[] {
  const lines = new Lines()
  for (const line of text.split('\n')) lines.take(line.trimEnd())
  return lines.found.map(({ lines, ...each }) => ({ ...each, text: withoutBullet(lines.join('\n').trim()) }))
}

/** Lines that belong together. */
interface Group {
  readonly lines: string[]
  readonly heading: string | undefined
}

class Lines {
  readonly found: Group[] = []
  #heading: string | undefined
  /** The mark that ends the running block of code. */
  #fence: string | undefined
  /** True if the next line of words goes on with the last statement. */
  #isOpen = false

  take(line: string): void {
    const trimmed = line.trimStart()
    const isCode = this.#isCode(trimmed)
    const title = isCode ? undefined : /^#{1,6} (.+)$/.exec(trimmed)?.[1]?.trim()
    if (title !== undefined) this.#heading = title
    if (isCode) this.#goOn(line)
    else if (title !== undefined || trimmed === '' || trimmed.startsWith('---')) this.#isOpen = false
    else if (this.#isNew(line, trimmed)) this.#begin(trimmed)
    else this.#goOn(line)
  }

  /** True of a line in a block of code, and of those that begin and end it. */
  #isCode(line: string): boolean {
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1]
    if (this.#fence === undefined) {
      this.#fence = mark
      return mark !== undefined
    }
    if (mark?.startsWith(this.#fence) && line === mark) this.#fence = undefined
    return true
  }

  /** A line that is indented goes on with the item above it, also after an empty line. */
  #isNew(line: string, trimmed: string): boolean {
    const last = this.found.at(-1)
    if (isImport(trimmed)) return true
    if (line !== trimmed) return last === undefined || last.heading !== this.#heading
    return BULLETS.has(trimmed.slice(0, 2)) || /^\d{1,3}[.)] /.test(trimmed) || !this.#isOpen
  }

  #begin(line: string): void {
    this.found.push({ lines: [line], heading: this.#heading })
    this.#isOpen = !isImport(line)
  }

  #goOn(line: string): void {
    const last = this.found.at(-1)
    // Whoever looks for names of files finds them alone.
    if (last === undefined || (last.lines.length === 1 && isImport(withoutBullet(last.lines[0] as string))))
      this.#begin(line)
    else {
      last.lines.push(line)
      this.#isOpen = true
    }
  }
}

/** The text without a part between two marks; what is not ended stays. */
export function withoutPart(text: string, begin: string, end: string): string {
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start + begin.length)
  if (stop < 0) return text
  const after = text.indexOf('-->', stop)
  return text.slice(0, start) + text.slice(after < 0 ? stop + end.length : after + 3)
}

/** True of a line or statement that is only the name of another file, which its program would read in its place. */
export function isImport(line: string): boolean {
  return /^@\S+$/.test(line)
}

function withoutBullet(text: string): string {
  return BULLETS.has(text.slice(0, 2)) ? text.slice(2).trimStart() : text.replace(/^\d{1,3}[.)] /, '')
}
