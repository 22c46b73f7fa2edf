import { describe, expect, test } from 'vitest'
import { ALLOWED, type Allowed } from '../scripts/counts/allowed.ts'
import { testedOnly } from '../scripts/counts/callers.ts'
import { exportedThings } from '../scripts/counts/comments.ts'
import { longestFunction } from '../scripts/counts/functions.ts'
import { importsOf, specifiersOf } from '../scripts/counts/graph.ts'
import { portMethods } from '../scripts/counts/port.ts'
import {
  arrowProblems,
  circleProblems,
  folderProblems,
  nameProblems,
  neededExceptions,
  testedProblems,
  undocumentedProblems,
} from '../scripts/counts/problems.ts'
import { parseSource } from '../scripts/counts/sources.ts'
import { houseNames } from '../scripts/counts/words.ts'

const NOTHING: Allowed = { folders: [], names: [] }

/** Sources from texts by path. */
const parsed = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([file, text]) => parseSource(file, text))

const importsIn = (texts: Readonly<Record<string, string>>) => importsOf(parsed(texts))

/** A folder of so many empty files. */
const folderOf = (count: number) =>
  parsed(Object.fromEntries(Array.from({ length: count }, (_, i) => [`flow/a${i}.ts`, ''])))

const namesIn = (text: string) => houseNames(parsed({ 'a.ts': text })).map(({ name }) => name)

const undocumentedIn = (text: string) =>
  exportedThings(parsed({ 'a.ts': text })).flatMap(({ name, documented }) => (documented ? [] : [name]))

describe('the graph', () => {
  test('a circle of types is named with every file in it', () => {
    const imports = importsIn({
      'a.ts': "import type { B } from './b.ts'",
      'b.ts': "export { type C } from './c.ts'",
      'c.ts': "export type A = import('./a.ts').A",
      'd.ts': "import './a.ts'",
    })
    expect(circleProblems(imports)).toEqual([
      'src/a.ts, src/b.ts, src/c.ts import each other in a circle: move what they share to a file of its own.',
    ])
    expect(imports.map(({ typeOnly }) => typeOnly)).toEqual([true, true, true, false])
  })

  test('an import between two circles is in none', () => {
    const pair = (a: string, b: string, more = '') => ({
      [`${a}.ts`]: `import './${b}.ts'${more}`,
      [`${b}.ts`]: `import './${a}.ts'`,
    })
    const imports = importsIn({
      ...pair('a', 'b', "; import './m.ts'"),
      'm.ts': "import './c.ts'",
      ...pair('c', 'd'),
    })
    expect(circleProblems(imports).map((problem) => problem.split(' import')[0])).toEqual([
      'src/a.ts, src/b.ts',
      'src/c.ts, src/d.ts',
    ])
  })

  test('the lighter of two arrows between neighbours points up', () => {
    const imports = importsIn({
      'flow/recall/a.ts': "import '../dream/a.ts'",
      'flow/recall/b.ts': "import '../dream/a.ts'",
      'flow/recall/c.ts': '',
      'flow/dream/a.ts': '',
      'flow/dream/b.ts': "const c = await import('../recall/c.ts')",
    })
    expect(circleProblems(imports)).toEqual([])
    expect(arrowProblems(imports)).toEqual([
      'src/flow/dream/b.ts imports src/flow/recall/c.ts, but in src/flow recall needs dream too: ' +
        'move what it imports to where both may import it.',
    ])
  })

  test('a file and a folder beside it do not need each other', () => {
    const imports = importsIn({ 'x.ts': "import './y/b.ts'", 'y/a.ts': "import '../x.ts'", 'y/b.ts': '' })
    expect(arrowProblems(imports)).toHaveLength(1)
  })

  test('imports in one direction are no problem', () => {
    const imports = importsIn({ 'x/a.ts': "import '../y/a.ts'; import './b.ts'", 'x/b.ts': '', 'y/a.ts': '' })
    expect(imports).toHaveLength(2)
    expect([...circleProblems(imports), ...arrowProblems(imports)]).toEqual([])
  })

  test('an import in a string or a comment is none', () => {
    const [source] = parsed({ 'a.ts': `// import './b.ts'\nconst text = "import './c.ts'"\nimport 'zod'` })
    expect(specifiersOf(source!).map(({ path }) => path)).toEqual(['zod'])
  })
})

describe('folders', () => {
  test('a folder may have 14 files, and not 15', () => {
    expect(folderProblems(folderOf(14), NOTHING)).toEqual([])
    expect(folderProblems(folderOf(15), NOTHING)).toEqual([
      'src/flow has 15 files, more than 14: split it by the question a file answers.',
    ])
  })

  test('a numbered series counts as one file of its folder', () => {
    const numbered = Array.from({ length: 20 }, (_, i) => [`flow/${i}-step.ts`, ''])
    const series = parsed(Object.fromEntries(numbered))
    expect(folderProblems([...folderOf(13), ...series], NOTHING)).toEqual([])
    expect(folderProblems([...folderOf(14), ...series], NOTHING)).toHaveLength(1)
  })

  test('an exception for a folder holds for as many files as it says, and must be lowered with them', () => {
    const allowed: Allowed = { ...NOTHING, folders: [{ folder: 'flow', files: 16, reason: 'Goes.' }] }
    expect(folderProblems(folderOf(16), allowed)).toEqual([])
    expect(folderProblems(folderOf(17), allowed)).toHaveLength(1)
    expect(folderProblems(folderOf(15), allowed)).toEqual([
      'src/flow has 15 files: lower its exception to 15 in scripts/counts/allowed.ts.',
    ])
    expect(folderProblems(folderOf(14), allowed)).toEqual([
      'src/flow has 14 files: remove its exception from scripts/counts/allowed.ts.',
    ])
    expect(neededExceptions(folderOf(15), allowed).folders).toEqual([
      { folder: 'flow', files: 15, reason: 'Goes.' },
    ])
  })
})

describe('words', () => {
  test.each([
    ['const spareSet = 1', 'spareSet'],
    ['const { a: { b: spare } } = c', 'spare'],
    ['const [twin, ...others] = c', 'twin'],
    ['function bury() {}', 'bury'],
    ['class Turnstile {}', 'Turnstile'],
    ['class A { #owed = 1 }', 'owed'],
    ['class A { retag() {} }', 'retag'],
    ['const f = (patience = 1) => patience', 'patience'],
    ['interface A { readonly owedOnly: boolean }', 'owedOnly'],
    ['interface A { vouch(a: string): void }', 'vouch'],
    ['type A = (surplus: number) => void', 'surplus'],
    ['type Likeness = number', 'Likeness'],
    ['const SELECT_TOMBSTONES = 1', 'SELECT_TOMBSTONES'],
    ['const settings = { stretchFloor: 1 }', 'stretchFloor'],
    ["import { a as renew } from 'b'", 'renew'],
    ['try {} catch (buried) {}', 'buried'],
  ])('`%s` declares a name with a word of the house', (text, name) => {
    expect(namesIn(text)).toEqual([name])
  })

  test.each([
    "const text = 'spare twin'",
    '// the spare twin\nconst a = 1',
    'use(spare, twin.owed)',
    "import { spare } from 'b'",
    'const { spare: shadow } = c',
    'const a = { spare }',
    'const between = 1; const owned = 2; const keeps = 3',
  ])('`%s` declares none', (text) => {
    expect(namesIn(text)).toEqual([])
  })

  test('a name is told once for a file, with the line and a better word', () => {
    const sources = parsed({ 'a.ts': '\nconst spare = 1\nconst f = (spare: number) => spare' })
    expect(nameProblems(sources, NOTHING)).toEqual([
      'src/a.ts:2 declares spare: instead of "spare" use a word of the field, such as "shadow".',
    ])
  })

  test('an exception for a name ends with its last declaration in its folder', () => {
    const allowed: Allowed = { ...NOTHING, names: [{ folder: 'x', names: ['spare'], reason: 'Goes.' }] }
    const [inside, outside] = [parsed({ 'x/a.ts': 'let spare' }), parsed({ 'y/a.ts': 'let spare' })]
    expect(nameProblems(inside, allowed)).toEqual([])
    expect(nameProblems(outside, allowed)).toEqual([
      'src/y/a.ts:1 declares spare: instead of "spare" use a word of the field, such as "shadow".',
      'src/x declares no spare: remove it from scripts/counts/allowed.ts.',
    ])
    expect(neededExceptions(outside, allowed).names).toEqual([{ names: ['spare'], reason: '' }])
  })

  test('every exception has a reason', () => {
    expect([...ALLOWED.folders, ...ALLOWED.names].filter(({ reason }) => reason === '')).toEqual([])
  })
})

describe('comments', () => {
  test('an exported thing without a doc comment directly before it is undocumented', () => {
    expect(undocumentedIn('/** One. */\nexport const a = 1\nexport const b = 2')).toEqual(['b'])
    expect(undocumentedIn('/** One. */\n// A note.\nexport function a() {}')).toEqual([])
    expect(
      undocumentedIn('/* One. */\nexport interface A {}\n/** Two. */\nconst b = 1\nexport type C = 1'),
    ).toEqual(['A', 'C'])
  })

  test('the methods of an exported class count, unless a port has their promises or nobody may call them', () => {
    const body = '{ /** One. */ a() {} b() {} #c() {} private d() {} }'
    expect(undocumentedIn(`/** A. */\nexport class A ${body}`)).toEqual(['A.b'])
    expect(undocumentedIn(`/** A. */\nexport class A implements Port ${body}`)).toEqual([])
  })

  test('an undocumented thing or method is told by its name', () => {
    const sources = parsed({ 'a.ts': '/** A. */\nexport class A { b() {} }\nexport const c = 1' })
    expect(undocumentedProblems(sources)).toEqual([
      'src/a.ts has no doc comment on A.b: say in one sentence what it is or returns.',
      'src/a.ts has no doc comment on c: say in one sentence what it is or returns.',
    ])
    expect(undocumentedProblems(parsed({ 'a.ts': '/** A. */\nexport const a = 1' }))).toEqual([])
  })

  test('a re-export is documented where it is declared', () => {
    expect(undocumentedIn("const a = 1\nexport { a }\nexport { b } from './b.ts'")).toEqual([])
  })
})

describe('exports that only tests call', () => {
  const source = { 'a.ts': 'export const one = 1\nexport function two() {}\nexport class Three {}' }
  const namesOf = (more: Readonly<Record<string, string>>, test: string) =>
    testedOnly(parsed({ ...source, ...more }), parsed({ 'test/a.test.ts': test })).map(({ name }) => name)
  const taken = "import { one, Three, two } from '../src/a.ts'"

  test('what a test imports and no file of the product does is told', () => {
    expect(namesOf({}, taken)).toEqual(['one', 'two', 'Three'])
    expect(namesOf({ 'b.ts': "import { one } from './a.ts'\nexport { two } from './a.ts'" }, taken)).toEqual([
      'Three',
    ])
    expect(namesOf({ 'b.ts': "const all = await import('./a.ts')" }, taken)).toEqual([])
    expect(testedProblems([{ file: 'a.ts', name: 'one' }])).toHaveLength(1)
  })

  test('what the file itself uses, and what nobody imports, is not', () => {
    expect(namesOf({ 'a.ts': 'export const one = 1\nconsole.log(one)' }, taken)).toEqual([])
    expect(namesOf({}, "import type { Other } from '../src/b.ts'")).toEqual([])
  })
})

test('the longest function is measured from brace to brace', () => {
  const sources = parsed({ 'a.ts': 'class A { m() {\n} }\nconst f = (\n  a: number,\n) => {\n  a\n}' })
  expect(longestFunction(sources)).toEqual({ file: 'a.ts', name: 'f', lines: 3 })
})

test('the methods of a port are its own and what it inherits, once each', () => {
  const sources = parsed({
    'ports/a.ts': 'interface A { one(): void; readonly two: () => void; readonly name: string }',
    'ports/b.ts': 'interface B extends A { one(): void; three(): void }',
  })
  expect(portMethods('B', sources)).toBe(3)
  expect(() => portMethods('C', sources)).toThrow('no interface C')
})

test('a file that cannot be parsed is an error, not a file without anything', () => {
  expect(() => parseSource('a.ts', 'const = 1')).toThrow('a.ts cannot be parsed')
})
