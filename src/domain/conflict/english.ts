import type { ConflictWords } from './words.ts'

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
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

const PAST_VERBS = new Set(
  words(
    'paid took lost bought sold ran spent found got drank ate won saw met made wrote read sent gave went slept drove flew swam',
  ),
)

/** English. */
export const ENGLISH_CONFLICT_WORDS: ConflictWords = {
  fillers: new Set(words('a an the do does did')),
  sameWord: new Map([
    ['has', 'have'],
    ['had', 'have'],
    ['once', '1'],
  ]),
  contractions: new Map([
    ["can't", ['can', 'not']],
    ['cannot', ['can', 'not']],
    ["won't", ['will', 'not']],
    ["shan't", ['shall', 'not']],
    ['twice', ['2', 'times']],
  ]),
  negations: new Set(words('not never no')),
  modals: new Set(words('may can must should shall will')),
  hypothetical: new Set(
    words(
      'if might would could maybe perhaps possibly probably whether suppose supposing assuming wish wishes hopefully unless considering',
    ),
  ),
  requests: new Set(words('please ask check should could would can is are does do did will')),
  partial: new Set(
    words(
      'some sometimes several many few most other others another occasionally often usually partly half every each quarter',
    ),
  ),
  indefinite: new Set(words('a an there one some it another two three')),
  momentary: new Set(words('today yesterday tomorrow tonight currently recently lately just ago')),
  pointing: new Set(words('this last next previous past')),
  stretches: new Set(
    words(
      'morning afternoon evening night day week weekend month quarter year spring summer autumn winter sprint time',
    ),
  ),
  measured: new Set(words('was were')),
  loose: new Set(
    words('about around roughly nearly almost approximately least between over above below under'),
  ),
  numbered: new Set(
    words(
      'ticket issue version page chapter room lot run seed train flight model step sprint table patient row line error code request release section season episode exercise question part phase level server rack gate lane track day week unit platform bus node shard worker attempt trial case lesson figure slide building apartment block batch v number no rev revision build job pr section paragraph article bug order invoice task account route highway channel story volume grade group team zone round match game iteration epoch scene act verse semester term cluster pod instance machine host camera sensor device tenant client customer user player id appendix clause rule item entry record option variant volume draft leg stage',
    ),
  ),
  numerals: new Map([
    ...NUMERALS.map((word, value) => [word, value] as const),
    ['thirty', 30],
    ['forty', 40],
    ['fifty', 50],
    ['sixty', 60],
    ['hundred', 100],
  ]),
  months: new Set(
    words(
      'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec',
    ),
  ),
  weekdays: new Set(words('monday tuesday wednesday thursday friday saturday sunday')),
  yearly: new Set(words('in since until by spring summer autumn winter')),
  seasons: new Set(words('spring summer autumn winter')),
  pastVerbs: PAST_VERBS,
  isPast: (word) => PAST_VERBS.has(word) || (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed')),
  once: new Set(
    words(
      'born founded ends end starts begins expires due valid birthday anniversary renews reopens opens closes planned scheduled published first last deadline place until died wedding',
    ),
  ),
  antonyms: opposites(OPPOSITE_ACTIONS + OPPOSITE_STATES.trim()),
  states: new Set(opposites(OPPOSITE_STATES).keys()),
  oppositePrefix: 'un',
  being: new Set(
    words(
      'is are was were be been being stay stays remain remains got get gets become becomes turned turn switched faces face',
    ),
  ),
  copulas: new Set(words('is are was')),
  singular: new Set(words('is')),
  possessives: new Set(words('my our your his her its their')),
  places: new Set(words('in at on')),
  located: new Set(words('located hosted based lives place takes')),
  single: new Set(
    words(
      'default favourite favorite preferred main primary owner lead leader head capital licence license name named called address branch language colour color manager editor theme contact chair captain ceo password',
    ),
  ),
  light: new Set(
    words(
      'is are was were be been being have called call named built kept stored hosted located based use uses used using run runs with in on at to of for by from and or but it its this that they them their we our us i my you your he she his her as than so then there here will can may must should not no never longer anymore any more now instead rather since because new old all',
    ),
  ),
  oldValue: phrases(
    'instead of,rather than,replaced,replaces,stopped using,gave up,given up,dropped,away from,took over from',
  ),
  origin: new Set(words('from')),
  moving: new Set(
    words(
      'moved move moves switched switch switches changed migrated raised lowered reduced increased renamed postponed shifted transferred went',
    ),
  ),
  turns: new Set(words('but because since and')),
  change: phrases(
    'now,moved to,switched to,changed to,renamed to,was moved,was changed,was renamed,was raised,was reduced,been reduced,been raised,postponed to,brought forward to,replaced by,been replaced,these days,from now on,been cancelled,as of,migrated to,changed',
  ),
  ended: phrases('no longer,anymore,any more,any longer,used to'),
  towards: new Set(words('to on with by')),
  additive: new Set(words('also too additionally second another additional besides both')),
}
