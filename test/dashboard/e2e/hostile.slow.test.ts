import { afterAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../../src/engine/memory.ts'
import { skipped } from './chromium.ts'
import { filledFile } from './filled.ts'
import { closeBrowser, openDashboard, PATIENCE, PHONE } from './page.ts'

afterAll(closeBrowser)

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const LINKED = '[press](javascript:alert(3)) ![seen](http://evil.example/pixel.png)'
/** A right-to-left override turns these words. */
const TURNED = 'pay \u202e001 ot\u202c euros'
const LONG = 'x'.repeat(3_000)

/** A file in which a stranger filled every field that an agent can fill. */
async function hostileFile(): Promise<{ readonly path: string; readonly blockId: string }> {
  const path = await filledFile()
  await using agent = await openMemory(path, { as: 'agent', actor: 'mcp<b>evil</b>' })
  const ids: string[] = []
  for (const content of [MARKUP, LINKED, TURNED, LONG])
    ids.push(
      (
        await agent.remember({
          ...{ content: `${content} ferry`, sourceClass: 'document' },
          ...{ source: `${MARKUP.slice(0, 30)} \u202egpj`, tags: ['<i>tag</i>'] },
          ...{ cue: '<u>cue</u> \u2066turned', session: '<s>session</s>' },
        })
      ).blockId,
    )
  await agent.propose({ kind: 'value', content: `${MARKUP} ${TURNED}`, reason: `${LINKED} ${TURNED}` })
  await using owner = await openMemory(path, { as: 'owner' })
  await owner.dream()
  const { blocks } = await owner.ls({ words: 'Marta takes' })
  const [blockId = ''] = ids
  await owner.connect({ source: blockId, target: blocks[0]?.id ?? '', relation: 'contradicts', note: MARKUP })
  return { path, blockId }
}

/** Elements that exist only if a text became markup. */
const MADE = '#main img, #main script, #main b b, #main a[href^="javascript"], .drawer img, [role=dialog] img'

describe.skipIf(skipped !== undefined)('hostile text', () => {
  test('stays text on every screen: nothing runs, loads, turns or is wider than a phone', async () => {
    const { path, blockId } = await hostileFile()
    const { page, goTo, troubles, origin } = await openDashboard(path, { size: PHONE })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const markup = encodeURIComponent(MARKUP)
    for (const screen of [
      ...['/recall?q=ferry&k=50', `/recall?q=${markup}&why=${markup}`, `/memory?block=${blockId}`],
      ...['/memory', '/review', '/review?kind=proposal', '/review?kind=contradiction', '/journal', '/graph'],
    ]) {
      await goTo(screen)
      expect([screen, await page.locator(MADE).count()]).toEqual([screen, 0])
      expect(await page.locator('body').innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect([screen, width]).toEqual([screen, PHONE.width])
    }
    await goTo('/recall?q=ferry+euros&k=50')
    expect(await page.locator('#main').textContent()).toContain('‹U+202E›')
    expect(await page.locator('#main').textContent()).toContain(MARKUP)
    expect(asked.filter((url) => !url.startsWith(origin))).toEqual([])
    expect(troubles).toEqual([])
  })

  test('would not run as markup either: the policy refuses markup, scripts and other places', async () => {
    const { page } = await openDashboard(await filledFile())
    const refused = await page.evaluate(`(async () => {
      window.broken = []
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => broken.push(effectiveDirective))
      const tried = (act) => {
        try {
          act()
        } catch (error) {
          return error.name
        }
      }
      const markup = tried(() => { document.body.innerHTML = '<b>x</b>' })
      const script = document.createElement('script')
      const inline = tried(() => { script.text = 'document.title = "run"' })
      const image = document.createElement('img')
      image.src = 'http://evil.example/pixel.png'
      document.body.append(script, image)
      const elsewhere = await fetch('http://127.0.0.1:9/').catch((error) => error.name)
      return { markup, inline, elsewhere }
    })()`)
    expect(refused).toEqual({ markup: 'TypeError', inline: 'TypeError', elsewhere: 'TypeError' })
    const broken = async () => new Set((await page.evaluate('broken')) as string[])
    await expect
      .poll(broken, PATIENCE)
      .toEqual(new Set(['connect-src', 'img-src', 'require-trusted-types-for']))
    expect(await page.title()).not.toBe('run')
  })
})
