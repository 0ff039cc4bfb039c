import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PageBrowser } from '../../support/page-browser.ts'
import { REPORT_PAGES } from '../../support/report-runs/report-pages.ts'
import { requires } from '../../support/requires.ts'

/** By night every page in every form is looked at, and its picture is kept if a folder for it is named. */
const EVERY_LOOK = process.env.EVERY_LOOK === '1'
const PICTURES = process.env.REPORT_PICTURES

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const LOOKS = {
  wide: WIDE,
  dark: { ...WIDE, dark: true },
  phone: PHONE,
  darkPhone: { ...PHONE, dark: true },
  print: { width: 1050, height: 740, print: true },
  withoutScript: { ...WIDE, script: false },
  phoneWithoutScript: { ...PHONE, script: false },
  forcedColors: { ...WIDE, forcedColors: true },
} as const
type Look = keyof typeof LOOKS

const BY_DAY: Readonly<Record<string, readonly Look[]>> = {
  done: ['wide', 'dark'],
  stopped: ['dark', 'phone'],
  held: ['wide'],
  demo: ['phone'],
  compared: ['phone'],
}

const looksOf = (page: string): readonly Look[] =>
  EVERY_LOOK ? (Object.keys(LOOKS) as readonly Look[]) : (BY_DAY[page] ?? [])

interface Fault {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

describe('every form of a report can be read', requires('chromium'), () => {
  let browser: PageBrowser
  let folder: string
  let axe: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-access-'))
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
    if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true })
    browser = await PageBrowser.start()
  })
  after(async () => {
    await browser.close()
    await rm(folder, { recursive: true, force: true })
  })

  for (const [name, page] of Object.entries(REPORT_PAGES)) {
    for (const look of looksOf(name)) {
      test(`${name}, ${look}: axe finds no fault, and the page is no wider than the screen`, async () => {
        const file = join(folder, `${name}.html`)
        await writeFile(file, page())
        await browser.show(pathToFileURL(file).href, LOOKS[look])
        assert.deepEqual(browser.said, [])
        const width = await browser.value<number>('document.documentElement.scrollWidth')
        assert.equal(width, LOOKS[look].width)
        // Where scripts are off, the browser runs none of a checker's either; the same markup was checked with them.
        if (!look.endsWith('Script')) assert.deepEqual(await faultsOf(browser, axe), [])
        if (PICTURES !== undefined)
          await writeFile(join(PICTURES, `${name}-${look}.png`), await browser.screenshot(true))
      })
    }
  }
})

async function faultsOf(browser: PageBrowser, axe: string): Promise<readonly string[]> {
  const rules = `{resultTypes: ['violations'], elementRef: false}`
  const faults = `violations.map(({id, nodes}) => ({id, nodes: nodes.slice(0, 3).map(({html, failureSummary}) => ({html: html.slice(0, 300), failureSummary}))}))`
  const found = await browser.value<{ readonly checked: number; readonly faults: readonly Fault[] }>(
    `${axe};axe.run(document, ${rules}).then(({passes, violations}) => ({checked: passes.length, faults: ${faults}}))`,
  )
  assert.ok(found.checked > 15, `axe ran ${found.checked} checks`)
  return found.faults.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html}\n${node.failureSummary}`).join('\n')}`,
  )
}
