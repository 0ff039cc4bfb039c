import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { htmlReport } from '../../../src/roll/report/html-report.ts'
import { PageBrowser } from '../../support/page-browser.ts'
import { measured } from '../../support/report-runs/report-pages.ts'
import { failedRun, hostileRun, longRun } from '../../support/report-runs/report-runs.ts'
import { requires } from '../../support/requires.ts'

const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 360, height: 740 }

describe('the page in a browser', requires('chromium'), () => {
  let browser: PageBrowser
  let folder: string
  const url = (name: string): string => pathToFileURL(join(folder, `${name}.html`)).href

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-report-'))
    for (const [name, run] of Object.entries({ failedRun, hostileRun, longRun })) {
      await writeFile(join(folder, `${name}.html`), htmlReport(measured(run())))
    }
    browser = await PageBrowser.start()
  })
  after(async () => {
    await browser.close()
    await rm(folder, { recursive: true, force: true })
  })

  for (const name of ['failedRun', 'hostileRun', 'longRun']) {
    test(`law: the page of a report loads nothing and runs no script but its own; ${name} in a browser: nothing is asked for, nothing is refused, nothing fails`, async () => {
      await browser.show(url(name), WIDE)
      assert.deepEqual(browser.asked, [url(name)])
      assert.deepEqual(browser.said, [])
    })

    test(`${name}: on a phone the whole drawing is in view, and once enlarged it scrolls in its own box; the page never goes sideways`, async () => {
      for (const script of [true, false]) {
        await browser.show(url(name), { ...PHONE, script })
        const { cssContentSize } = await browser.send('Page.getLayoutMetrics')
        assert.equal((cssContentSize as { readonly width: number }).width, 360)
      }
      await browser.show(url(name), PHONE)
      assert.equal(await browser.value('document.querySelector("#drawing").scrollWidth > 360'), false)
      await browser.value('document.querySelector("[data-do=in]").click()')
      assert.ok(await browser.value('document.querySelector("#drawing").scrollWidth > 600'))
      const small = `[...document.querySelectorAll('button,summary,input')].filter((e) => e.offsetHeight > 0)
        .map((e) => (e.closest('label') ?? e).getBoundingClientRect().height).filter((height) => height < 24)`
      assert.deepEqual(await browser.value(small), [])
    })
  }

  test('on a phone the failure of each card is in view without scrolling', async () => {
    await browser.show(url('failedRun'), PHONE)
    const away = `[...document.querySelectorAll('.card .lane rect[height]')].filter((e) => {
      const area = e.getBoundingClientRect()
      return area.left < 0 || area.right > 360
    }).length`
    assert.equal(await browser.value(away), 0)
  })

  test('arrows go along a row and between rows; the panel tells of the mark that has the focus', async () => {
    await browser.show(url('failedRun'), WIDE)
    await browser.value('document.querySelector(".mark[tabindex=\\"0\\"]").focus()')
    await browser.press('ArrowRight')
    const detail = 'document.querySelector("#detail").textContent.split("\\n")[0]'
    assert.equal(await browser.value(detail), 'w-1, record')
    await browser.press('End')
    assert.equal(await browser.value(detail), 'w-1, soak')
    await browser.press('Home')
    await browser.press('ArrowDown')
    assert.equal(await browser.value(detail), 'w-1, web on lb-1')
    assert.equal(await browser.value('document.querySelectorAll(".mark[tabindex=\\"0\\"]").length'), 1)
  })

  test('[ and ] go from failure to failure; Enter keeps one in the panel, Escape frees it', async () => {
    await browser.show(url('failedRun'), WIDE)
    await browser.value('document.querySelector(".mark[tabindex=\\"0\\"]").focus()')
    const detail = 'document.querySelector("#detail").textContent'
    await browser.press(']')
    assert.match(await browser.value(detail), /^w-3: 2 strays|^Failure window, lane new/)
    await browser.press(']')
    await browser.press('Enter')
    const kept = await browser.value<string>(detail)
    await browser.press('ArrowLeft')
    await browser.press('[')
    assert.equal(await browser.value(detail), kept)
    await browser.press('Escape')
    assert.notEqual(await browser.value(detail), kept)
  })

  test('zoom makes the drawing wider and puts the span into the address; the whole takes it out again', async () => {
    await browser.show(url('failedRun'), WIDE)
    const width = 'document.querySelector("#drawing .bar").getBoundingClientRect().width'
    const whole = await browser.value<number>(width)
    await browser.value('document.querySelector(".mark[tabindex=\\"0\\"]").focus()')
    for (const key of ['+', '+']) await browser.press(key)
    assert.ok((await browser.value<number>(width)) > 3.5 * whole)
    const address = await browser.value<string>('location.hash')
    assert.match(address, /^#span=0\.0000-0\.\d{4}$/)
    await browser.press('0')
    assert.equal(await browser.value('location.hash'), '')
    assert.equal(await browser.value(width), whole)
    await browser.show('about:blank', WIDE)
    await browser.show(`${url('failedRun')}${address}`, WIDE)
    assert.ok((await browser.value<number>(width)) > 3.5 * whole)
  })

  test('colours follow the system until the reader chooses', async () => {
    const paper = 'getComputedStyle(document.body).backgroundColor'
    await browser.show(url('failedRun'), { ...WIDE, dark: true })
    assert.equal(await browser.value(paper), 'rgb(20, 23, 26)')
    await browser.value('document.querySelector("input[value=light]").click()')
    assert.equal(await browser.value(paper), 'rgb(255, 255, 255)')
    await browser.show(url('failedRun'), WIDE)
    await browser.value('document.querySelector("input[value=dark]").click()')
    assert.equal(await browser.value(paper), 'rgb(20, 23, 26)')
    await browser.show(url('failedRun'), { ...WIDE, dark: true, print: true })
    assert.equal(await browser.value(paper), 'rgb(255, 255, 255)')
  })

  test('where the system chooses the colours, the word of the verdict has a colour of its own on its ground', async () => {
    await browser.show(url('failedRun'), { ...WIDE, forcedColors: true })
    const look =
      '(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.querySelector(".word")))'
    const [color, ground] = await browser.value<readonly [string, string]>(look)
    assert.notEqual(color, ground)
  })

  test('the button saves the data under the name of the run', async () => {
    await browser.show(url('failedRun'), WIDE)
    const saved = `new Promise((resolve) => {
      HTMLAnchorElement.prototype.click = function () { fetchIt(this) }
      const made = URL.createObjectURL
      let blob
      URL.createObjectURL = (one) => { blob = one; return made.call(URL, one) }
      const fetchIt = async (link) => resolve([link.download, JSON.parse(await blob.text()).outcome])
      document.querySelector('[data-do=save]').click()
    })`
    assert.deepEqual(await browser.value(saved), ['evenkeel-20261121T061439Z-1f0e.json', 'stopped'])
  })

  test('a card leads to its window in the timeline', async () => {
    await browser.show(url('failedRun'), WIDE)
    await browser.value('document.querySelector("[data-window=\\"1\\"]").click()')
    assert.equal(await browser.value('document.activeElement.dataset.windows'), '1')
  })
})
