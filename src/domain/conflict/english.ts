const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
const set = (text: string): ReadonlySet<string> => new Set(words(text))
const phrases = (text: string): string[][] => text.split(',').map(words)

/** Verbs and adverbs; each line lists what excludes one another, left of the bar against right of it. */
const OPPOSITE_ACTIONS = `
enable enables | disable disables
open opens | close closes
lock locks | unlock unlocks
allow allows allowed permit permits permitted | deny denies denied forbid forbids forbidden prohibited prohibits block blocks blocked ban bans banned disallowed
accept accepts accepted | refuse refuses refused reject rejects rejected decline declines declined
like likes love loves enjoy enjoys | dislike dislikes hate hates detest detests
agree agrees | disagree disagrees
increase increases rise rises grow grows | decrease decreases fall falls shrink shrinks
include includes included | exclude excludes excluded omit omits omitted
succeed succeeds pass passes | fail fails
trust trusts | distrust distrusts
always | never
more | less fewer
true | false
`

/** Words for states. Before a noun they only say which one is meant ("open issues") and exclude nothing. */
const OPPOSITE_STATES = `
enabled | disabled
on | off
open opened | closed shut
locked | unlocked
required mandatory compulsory obligatory | optional voluntary
better | worse
faster | slower
higher | lower
larger bigger | smaller
public | private
valid | invalid
available | unavailable
active | inactive
visible | hidden invisible
safe | dangerous unsafe
online | offline
synchronous | asynchronous
ascending | descending
full | empty
alive | dead
cheap | expensive
possible | impossible
compatible | incompatible
complete | incomplete
correct | incorrect wrong
legal | illegal
mutable | immutable
reversible | irreversible
clockwise | anticlockwise counterclockwise
horizontal | vertical
positive | negative
married | divorced single
temporary | permanent
automatic | manual
strict | lenient
north | south
east | west
`

/** Words that exclude those across the bar, by word. */
function opposites(lines: string): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>()
  for (const line of lines.trim().split('\n')) {
    const [left = [], right = []] = line.split('|').map(words)
    for (const word of left) all.set(word, new Set([...(all.get(word) ?? []), ...right]))
    for (const word of right) all.set(word, new Set([...(all.get(word) ?? []), ...left]))
  }
  return all
}

const NUMERALS = words(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
)

/** Past verbs that regular endings do not tell; what was done once may have been done again. */
const PAST_VERBS = set(
  'paid took lost bought sold ran spent found got drank ate won saw met made wrote read sent gave went slept drove flew swam',
)

/** The English words by which the rules find conflicts, lower case. */
export const WORDS = {
  /** Words without meaning for a comparison. */
  fillers: set('a an the do does did'),
  /** Forms that mean the same word, where a stem does not say so. */
  sameWord: new Map<string, string>([
    ['has', 'have'],
    ['had', 'have'],
    ['once', '1'],
  ]),
  /** Contractions whose parts are irregular, with straight apostrophes. */
  contractions: new Map<string, readonly string[]>([
    ["can't", ['can', 'not']],
    ['cannot', ['can', 'not']],
    ["won't", ['will', 'not']],
    ["shan't", ['shall', 'not']],
    ['twice', ['2', 'times']],
  ]),
  /** Words that turn a statement round when nothing else differs. */
  negations: set('not never no'),
  /** Words of permission and duty: "may" against "must not" is a negation. */
  modals: set('may can must should shall will'),
  /** Words that make a statement say what could be. */
  hypothetical: set(
    'if might would could maybe perhaps possibly probably whether suppose supposing assuming wish wishes hopefully unless considering',
  ),
  /** Words that begin a request. */
  requests: set('please ask check should could would can is are does do did will'),
  /** Words for a part or for some times only, so that the opposite may hold as well. */
  partial: set(
    'some sometimes several many few most other others another occasionally often usually partly half every each quarter',
  ),
  /** First words that speak of one among many, so that another may be otherwise. */
  indefinite: set('a an there one some it another two three'),
  /** Words for the time of speaking: another day it may be otherwise. */
  momentary: set('today yesterday tomorrow tonight currently recently lately just ago'),
  /** Words that, before the name of a period, also mean the time of speaking. */
  pointing: set('this last next previous past'),
  stretches: set(
    'morning afternoon evening night day week weekend month quarter year spring summer autumn winter sprint time',
  ),
  /** Words before a measured amount: it held when somebody looked. */
  measured: set('was were'),
  /** Words before an amount that is not exact. */
  loose: set('about around roughly nearly almost approximately least between over above below under'),
  /** Words before a number that says which one is meant, not how much. */
  numbered: set(
    'ticket issue version page chapter room lot run seed train flight model step sprint table patient row line error code request release section season episode exercise question part phase level server rack gate lane track day week unit platform bus node shard worker attempt trial case lesson figure slide building apartment block batch v number no rev revision build job pr section paragraph article bug order invoice task account route highway channel story volume grade group team zone round match game iteration epoch scene act verse semester term cluster pod instance machine host camera sensor device tenant client customer user player id appendix clause rule item entry record option variant volume draft leg stage',
  ),
  numerals: new Map<string, number>([
    ...NUMERALS.map((word, value) => [word, value] as const),
    ['thirty', 30],
    ['forty', 40],
    ['fifty', 50],
    ['sixty', 60],
    ['hundred', 100],
  ]),
  months: set(
    'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec',
  ),
  weekdays: set('monday tuesday wednesday thursday friday saturday sunday'),
  /** Words before four digits that are a year. */
  yearly: set('in since until by spring summer autumn winter'),
  seasons: set('spring summer autumn winter'),
  isPast: (word: string): boolean =>
    PAST_VERBS.has(word) || (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed')),
  /** Words said of what has only one date. */
  once: set(
    'born founded ends end starts begins expires due valid birthday anniversary renews reopens opens closes planned scheduled published first last deadline place until died wedding',
  ),
  /** Each word with the words that exclude it. */
  antonyms: opposites(OPPOSITE_ACTIONS + OPPOSITE_STATES.trim()),
  /** The antonyms that say what something is. */
  states: new Set(opposites(OPPOSITE_STATES).keys()),
  /** The prefix that turns a word into its opposite. */
  oppositePrefix: 'un',
  /** Words before a state or a participle. */
  being: set(
    'is are was were be been being stay stays remain remains got get gets become becomes turned turn switched faces face',
  ),
  /** Words between a thing and what it is. */
  copulas: set('is are was'),
  /** The copulas that speak of one thing, as it is by now. */
  singular: set('is'),
  possessives: set('my our your his her its their'),
  /** Words before a place. */
  places: set('in at on'),
  /** Words that may stand between a thing and its place. */
  located: set('located hosted based lives place takes'),
  /** Words for what a thing has only one of: the default, the owner. */
  single: set(
    'default favourite favorite preferred main primary owner lead leader head capital licence license name named called address branch language colour color manager editor theme contact chair captain ceo password',
  ),
  /** Frames and little verbs: shared ones do not make two statements be about the same. */
  light: set(
    'is are was were be been being have called call named built kept stored hosted located based use uses used using run runs with in on at to of for by from and or but it its this that they them their we our us i my you your he she his her as than so then there here will can may must should not no never longer anymore any more now instead rather since because new old all',
  ),
  /** Phrases before what no longer holds. */
  oldValue: phrases(
    'instead of,rather than,replaced,replaces,stopped using,gave up,given up,dropped,away from,took over from',
  ),
  /** Words before what no longer holds, if a word of `towards` follows in the same clause. */
  origin: set('from'),
  /** Words of change: without one of them before it, "from" tells of no change. */
  moving: set(
    'moved move moves switched switch switches changed migrated raised lowered reduced increased renamed postponed shifted transferred went',
  ),
  /** Words that start another clause without a mark. */
  turns: set('but because since and'),
  /** Phrases that say that something changed, without its old state. */
  change: phrases(
    'now,moved to,switched to,changed to,renamed to,was moved,was changed,was renamed,was raised,was reduced,been reduced,been raised,postponed to,brought forward to,replaced by,been replaced,these days,from now on,been cancelled,as of,migrated to,changed',
  ),
  /** Phrases by which the statement itself has ended. */
  ended: phrases('no longer,anymore,any more,any longer,used to'),
  /** Words between the old value and the new one. */
  towards: set('to on with by'),
  /** Words that say that something is added and nothing replaced. */
  additive: set('also too additionally second another additional besides both'),
}
