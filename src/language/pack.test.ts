import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLanguage } from './question.ts'

const english = createLanguage('english')
const auto = createLanguage('auto')

test.each([
  ['english', 'We met last Friday.', true],
  ['english', 'It took 3 days.', true],
  ['english', 'It may rain.', false],
  ['german', 'Wir trafen uns gestern.', true],
  ['russian', 'Мы встретились в мае 2024', true],
  ['russian', 'Мы встретились', false],
])('speaksOfTime in %s of "%s" is %s', (language, text, expected) => {
  expect(createLanguage(language).speaksOfTime(text)).toBe(expected)
})

test.each([
  ['english', 'When is the fair?', true],
  ['english', 'On which day is the fair?', true],
  ['english', 'Who runs the fair?', false],
  ['french', 'Depuis quand habite-t-elle ici ?', true],
  ['spanish', '¿En qué año se casaron?', true],
  ['spanish', '¿Quién se casó?', false],
])('asksWhen in %s of "%s" is %s', (language, question, expected) => {
  expect(createLanguage(language).asksWhen(question)).toBe(expected)
})

/** A beginning of an instruction, a text that only sounds like one, and a statement of a preference, by language. */
const SAID: Readonly<Record<string, readonly [standing: string, plain: string, preference: string]>> = {
  english: ['Please don’t use tabs.', 'We always met at noon.', 'I am not a fan of loud bars.'],
  german: ['Bitte verwende nie Tabulatoren.', 'Wenn es regnet, bleiben wir.', 'Ich trinke lieber Tee.'],
  french: ['Toujours citer la source.', 'Quand il pleut, on reste.', "Je n'aime pas les réunions."],
  spanish: ['Siempre cita la fuente.', 'Llegamos siempre tarde.', 'No me gustan las reuniones.'],
  portuguese: ['Sempre cite a fonte.', 'Quando chove, ficamos.', 'Não gosto de reuniões.'],
  italian: ['Per favore, non usare tabulazioni.', 'Arriviamo sempre tardi.', 'Preferisco il tè.'],
  dutch: ['Altijd de bron noemen.', 'Gebruik de sleutel.', 'Ik drink liever thee.'],
  russian: ['Впредь отвечай только по-русски.', 'Ответь Анне.', 'Я предпочитаю чай.'],
}

test.each(Object.entries(SAID))(
  'isStanding and statesPreference in %s tell the texts apart',
  (language, texts) => {
    const pack = createLanguage(language)
    expect(texts.map((text) => pack.isStanding?.(text))).toEqual([true, false, false])
    expect(texts.map((text) => pack.statesPreference?.(text))).toEqual([false, false, true])
  },
)

test('isStanding with auto reads a text in its own language', () => {
  expect(auto.isStanding?.('Wenn ich dich nach Preisen frage, nenne sie in Euro.')).toBe(true)
  expect(auto.isStanding?.('Впредь отвечай только по-русски.')).toBe(true)
})

test('isStanding of a text of more than 60 words is false', () => {
  const rest = (words: number) => ' word'.repeat(words)
  expect(english.isStanding?.(`Always${rest(59)}`)).toBe(true)
  expect(english.isStanding?.(`Always${rest(60)}`)).toBe(false)
})

test('isStanding and statesPreference of 10,000 characters that repeat their phrases answer in time', () => {
  const words =
    'please remember note always i we prefer d rather don t not to used did use bitte ziehe vor'.split(' ')
  const packs = Object.keys(SAID).map(createLanguage)
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
      (some, end) => {
        const text = `${some.join(' ')} `.repeat(5_000).slice(0, 10_000)
        for (const pack of packs) {
          for (const each of [text, end]) {
            expect(pack.isStanding?.(each)).toBeTypeOf('boolean')
            expect(pack.statesPreference?.(each)).toBeTypeOf('boolean')
          }
        }
      },
    ),
    { numRuns: 25 },
  )
})
