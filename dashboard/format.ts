import { shown } from './shown.ts'

const NUMBER = new Intl.NumberFormat('en')

/** A number with thousands apart. */
export function number(value: number): string {
  return NUMBER.format(value)
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact' })

/** A number where there is room for some signs: `400`, `2.5K`, `1M`. */
export function shortNumber(value: number): string {
  return SHORT.format(value)
}

/** A share of one as whole percent, without the sign. */
export function percent(share: number): string {
  return String(Math.round(share * 100))
}

/**
 * The confidence of a block by its reports, 0..1, as the library reckons it where no model judged the block: the mean of a Beta with
 * a prior of mass 1. For rows, which have no confidence of their own.
 */
export function confidenceBy({
  successes,
  failures,
}: {
  readonly successes: number
  readonly failures: number
}): number {
  return (0.5 + successes) / (1 + successes + failures)
}

/** A number and its noun. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`
}

/** Words by which a block is known again. */
const KNOWN_BY = 6
/** Characters of them at most: some scripts have no blanks. */
const KNOWN_BY_MOST = 48

/** The first words of a block in quotation marks, to name it where there is little room. */
export function firstWords(content: string): string {
  const text = shown(content).trim().replace(/\s+/gu, ' ')
  const first = text.split(' ').slice(0, KNOWN_BY).join(' ')
  const cut = [...first].slice(0, KNOWN_BY_MOST).join('')
  return `“${cut}${cut === text ? '' : '…'}”`
}

/** The first eight characters of an id, by which every command knows it. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** Dates in one zone: the browser's unless another is given. */
export interface Dates {
  /** `21 Nov 2026` */
  readonly date: (at: string | number) => string
  /** `14:05` */
  readonly time: (at: string | number) => string
  /** `Saturday, 21 November 2026` */
  readonly day: (at: string | number) => string
  /** `2026-11-21`: the day as an input of a page has it. */
  readonly key: (at: string | number) => string
}

/** Makes dates for a zone. */
export function datesIn(timeZone?: string): Dates {
  const zone = timeZone === undefined ? {} : { timeZone }
  const of = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, ...zone })
  const date = of({ day: 'numeric', month: 'short', year: 'numeric' })
  const time = of({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const day = of({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const parts = of({ day: '2-digit', month: '2-digit', year: 'numeric' })
  return {
    date: (at) => date.format(new Date(at)).replace('Sept', 'Sep'),
    time: (at) => time.format(new Date(at)),
    day: (at) => day.format(new Date(at)),
    key: (at) => parts.format(new Date(at)).split('/').reverse().join('-'),
  }
}

/** Dates in the zone of the browser. */
export const dates: Dates = datesIn()

const utc = datesIn('UTC')

/** A date or moment of the library, such as `2026-11-05` or `2026-11-05T14:05:00.000Z`, as people read it. */
export function momentWords(at: string, local: Dates = dates): string {
  // A day that somebody named has no zone.
  if (!at.includes('T') || /T00:00(?::00(?:\.0+)?)?Z$/.test(at)) return utc.date(at)
  return local.time(at) === '00:00' ? local.date(at) : `${local.date(at)}, ${local.time(at)}`
}

/** Hours of use, for people: `less than an hour`, `5 hours`, `1,240 hours`. */
export function hoursOfUse(hours: number): string {
  if (hours < 1) return 'less than an hour'
  return plural(Math.round(hours), 'hour')
}

const RELATIONS: Readonly<Record<string, string>> = { co_occurs: 'recalled together' }

/** A relation as people read it. */
export function relationWords(relation: string): string {
  return RELATIONS[relation] ?? relation.replaceAll('_', ' ')
}

/** The colours of relations, the same everywhere; words of one's own have the last. */
const RELATION_COLOURS: Readonly<Record<string, number>> = {
  ...{ supports: 1, co_occurs: 2, elaborates: 3, outcome: 4, contradicts: 5, similar: 6 },
}

/** The colour of a relation as CSS has it; for marks, never for text. */
export function relationColour(relation: string): string {
  return `var(--data-${RELATION_COLOURS[relation] ?? 7})`
}

/** Who speaks, as people read it. */
const SPEAKERS: Readonly<Record<string, string>> = { user: 'owner', import: 'imported' }

/** A class of speakers as people read it. */
export function speakerWords(sourceClass: string): string {
  return SPEAKERS[sourceClass] ?? sourceClass
}

const TIERS: Readonly<Record<string, string>> = {
  permanent: 'never fades',
  durable: 'fades very slowly',
  standard: 'fades slowly',
  ephemeral: 'fades within days of use',
}

/** How a tier fades. */
export function tierWords(tier: string): string {
  return TIERS[tier] ?? tier
}

const STATES: Readonly<Record<string, string>> = { inbox: 'waiting' }

/** The status of a block as people read it. */
export function statusWords(status: string): string {
  return STATES[status] ?? status
}

const DONE: Readonly<Record<string, string>> = {
  remember: 'took in',
  remember_many: 'took in',
  learn_document: 'read a document',
  dream: 'dreamt',
  curate: 'tidied up',
  recall: 'recalled',
  record_use: 'used',
  outcome: 'reported',
  settle: 'learned from a trace',
  promote: 'took into the memory',
  promote_pairs: 'joined what comes up together',
  archive: 'archived',
  prune: 'let fade',
  rescore: 'judged anew',
  judge: 'judged',
  label: 'named a relation',
  keep: 'kept both',
  write_items: 'wrote items',
  doctor: 'repaired',
  connect: 'joined',
  connects: 'joined',
  connect_by_query: 'joined',
  disconnect: 'took apart',
  edit: 'corrected',
  forget: 'forgot',
  restore: 'brought back',
  resolve: 'decided about a pair',
  decide: 'answered a proposal',
  propose: 'proposed',
  undo: 'took back',
  erase: 'erased',
  setup: 'set up who it is',
  backup: 'backed up',
  restore_backup: 'went back to a backup',
  import: 'imported',
  import_from: 'imported',
  reembed: 'embedded anew',
}

/** Some act of the log in the past tense. */
export function actWords(operation: string): string {
  return DONE[operation] ?? operation.replaceAll('_', ' ')
}
