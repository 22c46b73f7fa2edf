/** Where a word is not used: in the names that `src` declares, or in the pages and doc comments. */
type Place = 'names' | 'prose'

/** A word that only this project would understand, and the field's term for it. */
interface HouseWord {
  readonly instead: string
  readonly in: readonly Place[]
}

const names = (instead: string): HouseWord => ({ instead, in: ['names'] })
const prose = (instead: string): HouseWord => ({ instead, in: ['prose'] })
const both = (instead: string): HouseWord => ({ instead, in: ['names', 'prose'] })

/**
 * The words of the house, each with the term to use instead. A common word is listed only for names, where it stood for
 * something else than it means; in a sentence it may be the right word.
 */
const HOUSE_WORDS: Readonly<Record<string, HouseWord>> = {
  bearable: prose('acceptable'),
  breadcrumb: prose('recent id'),
  breadcrumbs: prose('recent ids'),
  buried: both('archived'),
  bury: both('archive'),
  displaced: prose('evicted'),
  dress: prose('formatting'),
  entomb: both('archive'),
  faintest: prose('weakest'),
  heed: prose('honour'),
  homeless: prose('orphaned'),
  keeping: names('maintenance'),
  lend: prose('share'),
  lending: prose('sharing'),
  lends: prose('shares'),
  lent: prose('shared'),
  likeliest: prose('most probable'),
  likeness: both('similarity'),
  likest: prose('most similar'),
  mend: prose('repair'),
  mended: prose('repaired'),
  moment: prose('time'),
  moments: prose('times'),
  newcomer: prose('candidate'),
  newcomers: prose('candidates'),
  owed: both('pending'),
  patience: names('busy retry'),
  renew: names('refresh'),
  retag: both('set tags'),
  served: prose('returned'),
  spare: names('shadow'),
  stranger: prose('somebody else'),
  strays: prose('orphans'),
  stretch: names('normalise'),
  surplus: both('over cap'),
  tally: prose('counters'),
  tidings: prose('message'),
  told: prose('reported'),
  tombstone: both('archived edge'),
  tombstones: both('archived edges'),
  trouble: prose('failure'),
  troubles: prose('failures'),
  turnstile: both('semaphore'),
  twin: both('near duplicate'),
  twins: both('near duplicates'),
  unasked: both('queryless'),
  unbilled: prose('unrecorded'),
  unsaid: prose('missing'),
  vitals: prose('decay state'),
  vouch: both('authorise'),
  vouched: both('authorised'),
  yielding: names('evicted'),
}

function wordsOf(place: Place): ReadonlyMap<string, string> {
  const listed = Object.entries(HOUSE_WORDS).filter(([, word]) => word.in.includes(place))
  return new Map(listed.map(([word, { instead }]) => [word, instead]))
}

/** The words that no declared name holds, each with the term to use instead. */
export const WORDS_NOT_IN_NAMES = wordsOf('names')

/** The words that no page and no doc comment uses, each with the term to use instead. */
export const WORDS_NOT_IN_PROSE = wordsOf('prose')
