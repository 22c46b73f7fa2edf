import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, describe, expect, test } from 'vitest'
import { skipped } from './chromium.ts'
import { closeBrowser, DESK, PHONE, settle } from './dashboard.ts'
import { openInventedPage } from './invented.ts'

afterAll(closeBrowser)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Screens, and what opens above them. */
const ADDRESSES = [
  ...[
    '/',
    '/memory',
    '/memory?sort=fading&which=isolated',
    '/memory?words=zebra',
    '/recall?q=the+ferry+timetable',
  ],
  ...[
    '/graph',
    '/review',
    '/journal',
    '/journal?entry=628',
    '/journal?view=between&from=2026-10-01&to=2026-10-16',
  ],
  ...['/identity', '/doctor'],
]

interface Rule {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

interface Result {
  readonly passes: readonly Rule[]
  readonly violations: readonly Rule[]
}

const looks = [
  { theme: 'light', size: DESK },
  { theme: 'dark', size: DESK },
  { theme: 'light', size: PHONE },
  { theme: 'dark', size: PHONE },
] as const

describe.skipIf(skipped !== undefined)('every screen', () => {
  test.each(looks)('breaks no rule of WCAG 2.2 AA, $theme at $size.width wide', async ({ theme, size }) => {
    const { page, goTo, call, troubles } = await openInventedPage({ size })
    const { blocks } = await call<{ blocks: { id: string }[] }>('ls', { words: '4211' })
    const block = `/memory?block=${blocks[0]?.id}`
    await page.evaluate(`localStorage.setItem('elfmem.theme', '${theme}')`)
    const found: string[] = []
    for (const address of [
      ...ADDRESSES,
      block,
      `${block}&act=correct`,
      `${block}&act=erase`,
      `${block}&act=vouch`,
    ]) {
      await goTo(address)
      await settle(page)
      const scroll = Number(await page.evaluate('document.documentElement.scrollWidth'))
      if (scroll > size.width) found.push(`${address}: ${scroll} wide`)
      // Through the debugger, so that the policy of the page need not let it in.
      const { passes, violations } = (await page.evaluate(
        `${axe}; axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`,
      )) as Result
      expect(passes.length).toBeGreaterThan(10)
      for (const { id, nodes } of violations) found.push(`${address}: ${id} ${nodes[0]?.html.slice(0, 160)}`)
    }
    expect(found).toEqual([])
    expect(troubles).toEqual([])
  })
})
