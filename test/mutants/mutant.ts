/** A guarantee broken on purpose, and the test that must notice. */
export interface Mutant {
  /** What the documents promise and this breaks. */
  readonly breaks: string
  /** The guarantee of SECURITY.md that promises it. */
  readonly guarantee?: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly test: string
  /** Only tests of the file with this in their title; all unless given. */
  readonly only?: string
  /** Of the fault walk, only these calls. */
  readonly cases?: string
}

/** What is broken, where, and which test must notice. */
type Break = readonly [breaks: string, file: string, from: string, to: string, test: string, only?: string]

/** Breaks of one promise of SECURITY.md. */
export function ofGuarantee(guarantee: string, ...breaks: readonly Break[]): Mutant[] {
  return breaks.map(([what, file, from, to, test, only]) => ({
    guarantee,
    breaks: what,
    file,
    from,
    to,
    test,
    ...(only === undefined ? {} : { only }),
  }))
}
