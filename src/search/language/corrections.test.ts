import { expect, test } from 'vitest'
import { correctionRule } from './corrections.ts'

const CORRECTIONS = [
  [
    'english',
    ['No, the port is 4310.', "That's wrong, it's 4310", 'Actually it is 4310', 'The number 4210 is wrong.'],
  ],
  ['german', ['Nein, der Port ist 4310.', 'Das ist falsch.', 'Der Port 4210 ist veraltet.']],
  ['french', ['Non, le port est 4310.', 'C’est faux.', 'En fait, c’est 4310.']],
  ['spanish', ['No, el puerto es 4310.', 'Eso está mal.', 'En realidad es 4310.']],
  ['portuguese', ['Não, a porta é 4310.', 'Isso está errado.', 'Na verdade é 4310.']],
  ['italian', ['No, la porta è 4310.', 'È sbagliato.', 'In realtà è 4310.']],
  ['dutch', ['Nee, de poort is 4310.', 'Dat klopt niet.', 'Poort 4210 is verouderd.']],
  ['russian', ['Нет, порт 4310.', 'Это неверно.', 'На самом деле 4310.']],
] as const

const OTHERS = [
  ...['No problem, thanks.', 'Now run the tests.', 'Great, commit it.', 'Note that 4210 is open.', ''],
  ...[
    'Nein danke.',
    'Jetzt die Tests bitte.',
    'Non merci.',
    'Maintenant les tests.',
    'No importa.',
    'Não precisa.',
  ],
  ...['Grazie, adesso i test.', 'Nee bedankt.', 'Нет, спасибо.', 'Теперь тесты.', '🦊', '4210'],
]

test.each(CORRECTIONS)('corrections are known in %s, by its name and without one', (language, messages) => {
  for (const message of messages) {
    expect([message, correctionRule(language)(message)]).toEqual([message, true])
    expect([message, correctionRule('auto')(message)]).toEqual([message, true])
  }
})

test('other messages are no corrections, whatever the language', () => {
  const languages = ['auto', 'neutral', ...CORRECTIONS.map(([language]) => language)]
  for (const language of languages)
    for (const message of OTHERS)
      expect([language, message, correctionRule(language)(message)]).toEqual([language, message, false])
})

test('without a language nothing is a correction, and what comes late in a message is the next task', () => {
  expect(correctionRule('neutral')('No, that is wrong.')).toBe(false)
  expect(correctionRule('auto')(`${'word '.repeat(60)} that is wrong`)).toBe(false)
})
