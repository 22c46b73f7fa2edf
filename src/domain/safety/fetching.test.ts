import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutFetching } from './visible.ts'

test.each([
  '<bgsound src=https://x.example/a>',
  '<portal src="https://x.example">',
  '<x-any srcset=x>',
  '<table background=https://x.example/a>',
  '<td\nbackground = "x">',
  '<TD BACKGROUND=x>',
  '<use href=x#y>',
  '<use xlink:href="x#y"/>',
  '<feImage href=x>',
  '<feimage/href=x>',
  '<p style="background:url(https://x.example)">',
  "<p style='background:\\75rl(x)'>",
  '<p style=background:image-set("x")>',
  '<p style="background:&#117;rl(x)">',
  '<html manifest=x>',
  '<p title=">" src=x>',
  '<p/src=x>',
  '<img',
  '<svg>',
  '<Script/x>',
])('withoutFetching breaks %s', (markup) => {
  expect(withoutFetching(markup)).toBe(markup.replace('<', '‹'))
})

test.each([
  '<a href="https://x.example">docs</a>',
  '<area href=x>',
  '<b title="src=x">bold</b>',
  "<b title='a src=x'>bold</b>",
  '<b title=src=x>bold</b>',
  '<p style="color: red">A &amp; B, url(x)</p>',
  'a < b and src = c',
  'Map<string, number> and src = x',
  '<b>src = x</b>',
  '<p datasrc=x data-src=x>',
  'if (a<b) c = 1',
])('withoutFetching leaves %s', (plain) => {
  expect(withoutFetching(plain)).toBe(plain)
})

test('withoutFetching breaks an element in quotes, too', () => {
  expect(withoutFetching('<b title="<i src=x>">')).toBe('<b title="‹i src=x>">')
  expect(withoutFetching('<b title=" <i src=x>')).toBe('<b title=" ‹i src=x>')
})

type State = 'tag' | 'before' | 'name' | 'after' | 'value' | 'bare' | '"' | "'"

const QUOTES: Readonly<Record<string, State>> = { '"': '"', "'": "'" }

/** Where a reader of HTML goes from a state by a sign that is no blank (WHATWG, "Tokenization"); undefined: the tag ends. */
function goneTo(state: State, sign: string): State | undefined {
  if (state === '"' || state === "'") return sign === state ? 'before' : state
  if (sign === '>') return undefined
  if (state === 'bare') return 'bare'
  if (state === 'tag') return sign === '/' ? 'before' : 'tag'
  if (state === 'value') return QUOTES[sign] ?? 'bare'
  if (sign === '=' && state !== 'before') return 'value'
  return sign === '/' ? 'before' : 'name'
}

const BY_BLANK: Readonly<Record<State, State>> = {
  ...{
    tag: 'before',
    before: 'before',
    name: 'after',
    after: 'after',
    value: 'value',
    bare: 'before',
    '"': '"',
    "'": "'",
  },
}

/** The attributes of one tag that have a value. */
function attributesOf(tag: string): string[] {
  const names: string[] = []
  let state: State = 'tag'
  let name = ''
  for (const sign of tag) {
    const next: State | undefined = /\s/.test(sign) ? BY_BLANK[state] : goneTo(state, sign)
    if (next === undefined) return names
    const begins = next === 'name' && state !== 'name'
    if (begins) name = ''
    if (next === 'name') name += sign
    if (next === 'value' && state !== 'value') names.push(name)
    state = next
  }
  return names
}

test('withoutFetching breaks each tag in which a reader of HTML finds an attribute that is fetched', () => {
  const part = fc.constantFrom('src', 'href', 'x', ' ', '=', '"', "'", '/', '>', '\n', 'background', '<')
  let found = 0
  const isFetched = (name: string) => /^(?:src|background|href)$/.test(name)
  for (const parts of fc.sample(fc.array(part, { maxLength: 14 }), 10_000)) {
    const inside = parts.join('')
    if (!attributesOf(inside).some(isFetched)) continue
    found++
    expect(withoutFetching(`<p${inside}`)[0], inside).toBe('‹')
  }
  expect(found).toBeGreaterThan(100)
})

test('withoutFetching of its own result changes nothing', () => {
  const part = fc.constantFrom('<p', '<img', ' src=', ' href=x', '"', "'", '>', 'style="url', '<a ')
  for (const parts of fc.sample(fc.array(part, { maxLength: 12 }), 1_000)) {
    const once = withoutFetching(parts.join(''))
    expect(withoutFetching(once)).toBe(once)
  }
})

test.each(['<a "', '<a x="<a \'', '<p style="', '<p style=', '<p src', "<p '=", '<a href="'])(
  'withoutFetching of 200,000 times %j ends before the test times out',
  (part) => {
    const text = part.repeat(200_000)
    expect(withoutFetching(text)).toHaveLength(text.length)
  },
)
