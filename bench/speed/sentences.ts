import { createRandom, type Random } from '../lib/random.ts'

const list = (text: string) => text.split('|').map((part) => part.trim())

const TOPICS = list(
  'harbour|orchard|payroll|checkout|telescope|kitchen|archive|tramway|clinic|theatre|warehouse|greenhouse|' +
    'mailserver|bakery|museum|sawmill|reservoir|classroom|pharmacy|airfield|vineyard|observatory|foundry|library|' +
    'studio|ferry|laundry|stadium|quarry|aquarium|courthouse|printshop|dairy|lighthouse|workshop|depot|brewery|' +
    'cannery|substation|nursery',
)
const WHO = list(
  'the keeper|our newest colleague|the night shift|the inspector|my neighbour|the vendor|the maintainer|the clerk|' +
    'the apprentice|the committee|the operator|an auditor|the architect|the courier|the planner|the gateway|the scheduler',
)
const DID = list(
  'replaced|measured|rejected|postponed|approved|labelled|repaired|compared|moved|doubled|documented|discovered|' +
    'cancelled|restored|simplified|counted|borrowed|rewrote|tested|sealed|photographed|reordered',
)
const KIND = list(
  'brittle|spare|quarterly|silent|portable|outdated|shared|expensive|temporary|northern|hidden|urgent|polished|manual|' +
    'rusty|remote|partial|official|fragile|narrow|yearly|unmarked|heavy|digital',
)
const THING = list(
  'ledger|pump|invoice|lens|timetable|valve|recipe|crate|banner|sensor|permit|cable|rota|sample|ticket|map|receipt|' +
    'filter|manual|contract|gauge|carpet|beacon|schema|token|harness|voucher|lantern|catalogue|turbine|trolley|seal',
)
const WHEN = list(
  'before the spring audit|after lunch on Friday|during the long outage|while the east gate was closed|' +
    'because the old one had failed twice|without asking anybody|between two inspections|since the merger|' +
    'at the end of every month|whenever the river is high|until the insurance answers|under a new agreement',
)
const SO = list(
  'so we must|and nobody should|which means we can|therefore we always|so remember to|and we never',
)
const THEN = list(
  'check|lock|rename|weigh|copy|return|paint|postpone|count|forward|replace|measure|publish|sort',
)
const SYLLABLES = list('ka|lo|mi|tar|ven|dor|sil|bra|quo|net|pel|ras|tin|gor|mae|lun|fis|zor|hep|wex')
const OWN_WORDS = 10
const OWN_THINGS = 12

interface Topic {
  readonly name: string
  readonly things: readonly string[]
  /** Words that occur in this topic only. */
  readonly own: readonly string[]
}

const topics: readonly Topic[] = TOPICS.map((name, i) => {
  const random = createRandom(7, i)
  return {
    name,
    things: random.sample(THING, OWN_THINGS),
    own: Array.from({ length: OWN_WORDS }, () => syllables(random, 3)),
  }
})

function syllables(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(SYLLABLES)).join('')
}

/** The i-th sentence: about 27 words on one of 40 topics, always the same for the same number. */
export function sentence(i: number): string {
  const random = createRandom(11, i)
  const { name, things, own } = random.pick(topics)
  const text =
    `${random.pick(WHO)} ${random.pick(DID)} the ${random.pick(KIND)} ${random.pick(own)} ${random.pick(things)} of the ` +
    `${name} ${random.pick(WHEN)}, ${random.pick(SO)} ${random.pick(THEN)} the ${random.pick(things)} and the ` +
    `${random.pick(KIND)} ${random.pick(THING)} ${random.pick(own)} number ${random.below(4_000)}.`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Five different words of the i-th sentence. */
export function questionAbout(i: number): string {
  const words =
    sentence(i)
      .toLowerCase()
      .match(/[a-z]{4,}/g) ?? []
  return createRandom(13, i)
    .sample([...new Set(words)], 5)
    .join(' ')
}
