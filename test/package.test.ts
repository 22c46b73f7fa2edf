import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const MAX_PACKED_BYTES = 25_000_000

interface Packed {
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** What `npm pack` would pack now. */
function packed(): Packed {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
  return (JSON.parse(json) as readonly Packed[])[0]!
}

test('the package is small, brings its model, kernels and generated pages, and no sources', () => {
  const { size, files } = packed()
  const paths = files.map(({ path }) => path)
  expect(size).toBeLessThanOrEqual(MAX_PACKED_BYTES)
  for (const needed of [
    /^model\/minilm\.bin$/,
    /^model\/vocab\.txt$/,
    /^kernel\/minilm\.\w+\.wasm$/,
    /^kernel\/scan\.wasm$/,
    /^docs\/reference\.md$/,
    /^docs\/configuration\.md$/,
  ])
    expect(
      paths.filter((path) => needed.test(path)),
      String(needed),
    ).not.toEqual([])
  expect(paths.filter((path) => /\.test\.|^test\/|^bench\/|^scripts\/|^src\//.test(path))).toEqual([])
})

test('every entry of the package is a file that the build makes from a source', () => {
  const entries = [...Object.values(manifest.exports), ...Object.values(manifest.bin)].map((entry) =>
    typeof entry === 'string' ? entry : entry.default,
  )
  const sources = entries
    .filter((entry) => entry.startsWith('./dist/'))
    // The command of hooks is bundled to one file.
    .map((entry) => entry.replace('./dist/hook.cjs', './dist/surfaces/hooks/command.js'))
    .map((entry) => entry.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))
  expect(sources.length).toBeGreaterThan(2)
  for (const source of sources) expect(() => readFileSync(join(root, source)), source).not.toThrow()
})

test('npm installs no other package with elfmem, and elfmem runs no script', () => {
  expect(manifest.dependencies ?? {}).toEqual({})
  expect(['preinstall', 'install', 'postinstall'].filter((name) => name in manifest.scripts)).toEqual([])
})

test('the changelog begins with the version that the package has', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [, newest] = /^## (\d+\.\d+\.\d+)\b/m.exec(changelog) ?? []
  expect(newest).toBe(manifest.version)
})
