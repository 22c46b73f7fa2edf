/** Outcome of a check: `warn` works but wants attention, `fail` does not work, `skipped` was not tried. */
export type CheckOutcome = 'ok' | 'warn' | 'fail' | 'skipped'

/** The names of the checks in words. */
export const CHECK_TITLES = {
  store: 'The store answers',
  file: 'The file is whole',
  orphans: 'Every row has what it belongs to',
  values: 'Every value is one that elfmem writes',
  sums: 'Sums agree with the edges',
  lengths: 'Vectors have the right length',
  clock: 'Time goes forward',
  log: 'The write-ahead log is small',
  access: 'Only its owner reads the file',
  packed: 'The packed index can be read',
  git: 'No file of the memory is in git',
  fix: 'Repairs',
  erasing: 'Every erasing has ended',
  vectors: 'Vectors are of the configured embedder',
  embedder: 'Embedder',
  inbox: 'The inbox has room',
  pairs: 'Pairs to decide about',
  judgements: 'Judgements are fresh',
  pending: 'No judgement is pending',
  labels: 'Relations of pairs are named',
  hooks: 'Hooks answer in time',
  model: 'Language model',
  budget: 'Tokens left today',
  keys: 'Keys of models are set',
  secrets: 'Secrets in what is kept',
  embedding: 'The embedder answers',
  answer: 'The language model answers',
} as const

/** The name of a check. */
export type CheckName = keyof typeof CHECK_TITLES

/** One thing that was looked at. */
export interface Check {
  /** One lower-case word, unique among the checks of a call. */
  readonly name: CheckName
  readonly outcome: CheckOutcome
  readonly message: string
  /** The next step; present for every `warn` and `fail`. */
  readonly recovery?: string
  /** The argument of doctor that repairs it; absent if none does. */
  readonly fixable?: 'fix'
  /** How long it took, where that says something. */
  readonly seconds?: number
}

/** Nothing is wrong. */
export function ok(name: CheckName, message: string): Check {
  return { name, outcome: 'ok', message }
}

/** It was not looked at, or there is nothing to look at. */
export function skipped(name: CheckName, message: string): Check {
  return { name, outcome: 'skipped', message }
}

/** It works and wants attention, or it does not work. */
export function trouble(outcome: 'warn' | 'fail', name: CheckName, message: string, recovery: string): Check {
  return { name, outcome, message, recovery }
}
