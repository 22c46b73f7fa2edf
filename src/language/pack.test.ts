import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLanguage } from './question.ts'

const english = createLanguage('english')
const auto = createLanguage('auto')

test('term is one for all forms of a word', () => {
  for (const forms of [
    ['deploy', 'deploys', 'deployed', 'deploying'],
    ['go', 'went', 'gone', 'going'],
    ['child', 'children'],
    ['buy', 'bought', 'buys'],
  ])
    expect(new Set(forms.map((form) => english.term(form))).size).toBe(1)
})

test('terms leaves out stop words and possessive endings', () => {
  expect(english.terms("What is the user's name?")).toEqual(['user', 'name'])
})

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

/** Beginnings of instructions, texts that only sound like some, and statements of a preference, by language. */
const SAID: Readonly<
  Record<string, { readonly standing: string[]; readonly plain: string[]; readonly preference: string[] }>
> = {
  english: {
    standing: [
      'Always include status codes when I ask about errors.',
      'From now on, never promote on Fridays',
      'Please don’t use tabs.',
      'Please remember to always cite a source.',
      'When I ask for a summary, give three lines.',
    ],
    plain: [
      'We always met at noon.',
      "I don't use tabs.",
      'When we met, it rained.',
      'Please send the bill.',
    ],
    preference: [
      'I really prefer tea.',
      'Samir prefers written reviews to meetings.',
      "I'd rather walk.",
      'I am not a fan of loud bars.',
    ],
  },
  german: {
    standing: [
      'Immer mit Quellen antworten.',
      'Bitte verwende nie Tabulatoren.',
      'Ab jetzt: achte darauf, dass die Tests laufen.',
      'Wenn ich dich nach Preisen frage, nenne sie in Euro.',
    ],
    plain: ['Wir treffen uns immer am Montag.', 'Wenn es regnet, bleiben wir.', 'Verwende den Schlüssel.'],
    preference: [
      'Ich trinke lieber Tee.',
      'Am liebsten reist sie mit der Bahn.',
      'Wir bevorzugen kurze Texte.',
    ],
  },
  french: {
    standing: [
      'Toujours citer la source.',
      "S'il te plaît, n'utilise jamais de tabulations.",
      'Désormais, réponds toujours en français.',
      'Quand je te demande un prix, donne-le en euros.',
    ],
    plain: ['Nous sommes toujours en retard.', 'Quand il pleut, on reste.', 'Réponds à Anne.'],
    preference: ['Je préfère le thé.', "J'aime mieux le train.", "Je n'aime pas les réunions."],
  },
  spanish: {
    standing: [
      'Siempre cita la fuente.',
      'Por favor, no uses tabuladores.',
      'A partir de ahora, responde siempre en español.',
      'Cuando te pida un precio, dalo en euros.',
    ],
    plain: ['Llegamos siempre tarde.', 'Cuando llueve, nos quedamos.', 'Responde a Ana.'],
    preference: ['Prefiero el té.', 'Me gusta más el tren.', 'No me gustan las reuniones.'],
  },
  portuguese: {
    standing: [
      'Sempre cite a fonte.',
      'Por favor, não uses tabulações.',
      'A partir de agora, responda sempre em português.',
      'Quando eu te pedir um preço, dá-o em euros.',
    ],
    plain: ['Chegamos sempre tarde.', 'Quando chove, ficamos.', 'Responde à Ana.'],
    preference: ['Prefiro chá.', 'Gosto mais do comboio.', 'Não gosto de reuniões.'],
  },
  italian: {
    standing: [
      'Sempre citare la fonte.',
      'Per favore, non usare tabulazioni.',
      "D'ora in poi rispondi sempre in italiano.",
      'Quando ti chiedo un prezzo, dallo in euro.',
    ],
    plain: ['Arriviamo sempre tardi.', 'Quando piove, restiamo.', 'Rispondi ad Anna.'],
    preference: ['Preferisco il tè.', 'Mi piace di più il treno.', 'Non mi piacciono le riunioni.'],
  },
  dutch: {
    standing: [
      'Altijd de bron noemen.',
      'Alsjeblieft, gebruik nooit tabs.',
      'Vanaf nu: zorg ervoor dat de tests slagen.',
      'Als ik je om een prijs vraag, geef die in euro.',
    ],
    plain: ['We komen altijd te laat.', 'Als het regent, blijven we.', 'Gebruik de sleutel.'],
    preference: [
      'Ik drink liever thee.',
      'Het liefst reist ze met de trein.',
      'Wij geven de voorkeur aan korte teksten.',
    ],
  },
  russian: {
    standing: [
      'Всегда указывай источник.',
      'Пожалуйста, не используй табуляцию.',
      'Впредь отвечай только по-русски.',
      'Когда я прошу назвать цену, называй её в евро.',
    ],
    plain: ['Мы всегда опаздываем.', 'Когда идёт дождь, мы остаёмся.', 'Ответь Анне.'],
    preference: ['Я предпочитаю чай.', 'Мне больше нравится поезд.', 'Мой любимый цвет синий.'],
  },
}

describe.each(Object.entries(SAID))('in %s', (language, { standing, plain, preference }) => {
  const pack = createLanguage(language)

  test.each(standing)('isStanding of "%s" is true', (text) => expect(pack.isStanding?.(text)).toBe(true))

  test.each([...plain, ...preference])('isStanding of "%s" is false', (text) =>
    expect(pack.isStanding?.(text)).toBe(false),
  )

  test.each(preference)('statesPreference of "%s" is true', (text) =>
    expect(pack.statesPreference?.(text)).toBe(true),
  )

  test.each([...plain, ...standing])('statesPreference of "%s" is false', (text) =>
    expect(pack.statesPreference?.(text)).toBe(false),
  )
})

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
