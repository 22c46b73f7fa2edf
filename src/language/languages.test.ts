import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wordsOf } from './pack.ts'
import { createLanguage, detectLanguage, knowsScript } from './question.ts'

const english = createLanguage('english')

describe('terms of a structured word are the whole and its parts', () => {
  const cases: readonly (readonly [text: string, terms: readonly string[]])[] = [
    ['openMemory', ['openmemori', 'open', 'memori']],
    ['parseJSONFile2', ['parsejsonfile2', 'pars', 'json', 'file2']],
    ['MAX_RETRY_COUNT', ['max', 'retri', 'count', 'max_retry_count']],
    ['src/flow/recall.ts', ['src', 'flow', 'recal', 'ts', 'src/flow/recall.ts']],
    ['v1.2.3', ['v1', '2', '3', '1.2.3']],
    ['4,210', ['4', '210', '4210']],
  ]
  for (const [text, terms] of cases)
    test(text, () => expect([...english.terms(text)].sort()).toEqual([...terms].sort()))
})

describe('words of any script', () => {
  test.each([
    ['İSTANBUL ısparta', ['istanbul', 'isparta']],
    ['Straße œuvre Łódź smørrebrød', ['strasse', 'oeuvre', 'lodz', 'smorrebrod']],
    ['Cafe\u0301 café', ['cafe', 'cafe']],
    ['שָׁלוֹם السَّلَامُ', ['שלום', 'السلام']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['コーヒー', ['コー', 'ーヒ', 'ヒー']],
    ['東京tower2', ['東京', 'tower2']],
    ['👍🏽 ok ❤️', ['ok']],
  ])('wordsOf "%s" gives %j', (text, words) => expect(wordsOf(text)).toEqual(words))

  test('wordsOf gives a text and its canonical decomposition equal words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        expect(wordsOf(text.normalize('NFD'))).toEqual(wordsOf(text.normalize('NFC')))
      }),
    )
  })
})

describe('detectLanguage', () => {
  test.each([
    ['german', 'Wann ist der Termin mit dem Steuerberater?'],
    ['french', 'Où est-ce que nous avons garé la voiture ?'],
    ['spanish', '¿Cuándo es la reunión con el arquitecto?'],
    ['portuguese', 'Onde estão as chaves do carro e quem as usou?'],
    ['italian', 'Quando è la riunione con gli architetti della scuola?'],
    ['dutch', 'Wanneer is de afspraak met het bedrijf van mijn broer?'],
    ['russian', 'Когда встреча с архитектором?'],
    ['english', 'When is the meeting with the architect?'],
    ['english', 'They watched Das Boot and La Strada, and will die on a hill for it.'],
  ])('gives %s for "%s"', (language, text) => expect(detectLanguage(text)).toBe(language))
})

test.each([
  ['Who has the key?', true],
  ['Où est la clé ?', true],
  ['钥匙在哪里？', false],
  ['Где ключ?', false],
  ['钥匙在哪里 key', false],
  ['', true],
])('knowsScript of an embedder for Latin and "%s" is %s', (text, known) => {
  expect(knowsScript({ scripts: ['Latin'] }, text)).toBe(known)
})

test('knowsScript refuses the name of a script that Unicode lacks', () => {
  expect(() => knowsScript({ scripts: ['latin'] }, 'key')).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
