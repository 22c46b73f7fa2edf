import { expect, test } from 'vitest'
import { knowsScript } from './scripts.ts'

test.each([
  ['Who has the key?', true],
  ['Où est la clé ?', true],
  ['钥匙在哪里？', false],
  ['Где ключ?', false],
  ['Where is 钥匙?', true],
  ['钥匙在哪里 key', false],
  ['4 210?', true],
  ['', true],
])('knowsScript of an embedder for Latin and "%s" is %s', (text, known) => {
  expect(knowsScript({ scripts: ['Latin'] }, text)).toBe(known)
})

test('knowsScript is true of any text for an embedder that names no scripts', () => {
  expect(knowsScript({}, '钥匙在哪里？')).toBe(true)
})

test('knowsScript counts the letters of all scripts an embedder names', () => {
  expect(knowsScript({ scripts: ['Latin', 'Cyrillic'] }, 'Где ключ, Anna?')).toBe(true)
})

test('knowsScript refuses the name of a script that Unicode lacks', () => {
  expect(() => knowsScript({ scripts: ['latin'] }, 'key')).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
