import { expect, test } from 'vitest'
import { createLanguage } from '../../search/language/choose.ts'
import { lostWords, restsOnLost, statedIn } from './resting.ts'

const language = createLanguage('auto')

function rests(older: string, newer: string, note: string): boolean {
  const [before, now] = [statedIn(older, language), statedIn(newer, language)]
  return restsOnLost(statedIn(note, language), { before, now, lost: lostWords(before, now) })
}

/** A statement, what took its place, and notes that only look as if they rested on it. */
const UNLIKE = [
  [
    'Hotel Adler orders 80 rolls a day.',
    'Hotel Adler cancelled its order.',
    'Hotel Adler pays within 30 days.',
  ],
  ['Acme gets a report every month.', 'Acme gets no report any more.', 'Acme pays within a month.'],
  ['Client Meyer pays 300 an hour.', 'Client Meyer pays 340 an hour.', 'Client Duarte pays 300 an hour.'],
  ['Ward 3 has 20 beds.', 'Ward 3 has 18 beds.', 'Ward 5 has 20 beds.', 'Ward 3 is 20 metres from the lift.'],
  ['Dr Amin is on call on Saturday.', 'Dr Amin is on call on Sunday.', 'Dr Lee is on call on Saturday.'],
  ['Locker 114 belongs to Sina.', 'Locker 114 belongs to Jule.', 'Locker 115 belongs to Sina.'],
  ['Hive 8 has a blue queen.', 'Hive 8 has a white queen.', 'Hive 9 has a blue queen.'],
  [
    'The cage of shaft A goes down at 5:30.',
    'The cage of shaft A goes down at 6:15.',
    'The cage of shaft B goes down at 5:30.',
  ],
  [
    'Mr Tan lies in bed 4.',
    'Mr Tan lies in bed 9.',
    'Mr Tan takes 4 tablets a day.',
    'Mrs Ito lies in bed 4.',
  ],
  [
    'The sourdough proofs for 14 hours.',
    'The sourdough proofs for 16 hours.',
    'The baker slept for 14 hours after the fair.',
  ],
  [
    'The heather apiary yields 31 kilos.',
    'The heather apiary yields 28 kilos.',
    'The extractor weighs 31 kilos.',
  ],
  ['Rye bread bakes for 55 minutes.', 'Rye bread bakes for 50 minutes.', 'Rye bread keeps for 55 days.'],
  [
    'Year 7 has maths on Monday.',
    'Year 7 has maths on Thursday.',
    'Year 7 has swimming on Monday.',
    'Year 8 has maths on Monday.',
  ],
  [
    'The chemistry lab is in block C.',
    'The chemistry lab is in block F.',
    'The chemistry exam is in hall C.',
  ],
  ['Station 2 hat zwölf Betten.', 'Station 2 hat acht Betten.', 'Station 5 hat zwölf Betten.'],
  ['Der Alt probt in Raum 21.', 'Der Alt probt in Raum 30.', 'Die Heizung in Raum 21 ist kaputt.'],
  [
    'La clase 3A tiene examen el lunes.',
    'La clase 3A tiene examen el jueves.',
    'La clase 3B tiene examen el lunes.',
  ],
  ['Le fournil ouvre à 5 heures.', 'Le fournil ouvre à 6 heures.', 'Le train part à 5 heures.'],
  ['A rainha da colmeia 2 é azul.', 'A rainha da colmeia 2 é branca.', 'A rainha da colmeia 7 é azul.'],
] as const

test.each(UNLIKE.map(([older, newer, ...notes]) => [older, newer, notes] as const))(
  'what is about something else than “%s” does not rest on it',
  (older, newer, notes) => {
    for (const note of notes) expect(rests(older, newer, note), note).toBe(false)
  },
)

test.each([
  ['Mr Tan lies in bed 4.', 'Mr Tan lies in bed 9.', 'Bring the lunch of Mr Tan to bed 4.'],
  [
    'The chemistry lab is in block C.',
    'The chemistry lab is in block F.',
    'To the chemistry lab take the stairs of block C.',
  ],
  [
    'Frau Keller unterrichtet Chemie.',
    'Frau Keller unterrichtet Physik.',
    'Wegen Chemie fragt man Frau Keller.',
  ],
  [
    'Events of the shop go through RabbitMQ.',
    'We replaced RabbitMQ by Kafka for the events of the shop.',
    'Dead events of the shop wait in a RabbitMQ exchange.',
  ],
])('what says the lost value of “%s” rests on it', (older, newer, note) => {
  expect(rests(older, newer, note)).toBe(true)
})
