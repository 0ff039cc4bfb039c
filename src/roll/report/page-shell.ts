import { createHash } from 'node:crypto'
import { constantMarkup, html, type Markup, scriptJson } from './markup.ts'
import { PAGE_STYLE } from './page-style.ts'
import { patternDefinitions } from './timeline/drawing-parts.ts'

interface PageParts {
  readonly title: string
  readonly body: Markup
  /** The data of the page, which is also in it as JSON. */
  readonly data: unknown
  /** The only script of the page, if it has one. */
  readonly script?: string
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Nothing may be fetched, framed or sent; style and script are allowed by their hashes. */
const policy = (script: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(PAGE_STYLE)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/** One file: it loads nothing, and is complete without script and without style. */
export function pageShell({ title, body, data, script }: PageParts): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${constantMarkup(policy(script))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${constantMarkup(PAGE_STYLE)}</style>
</head>
<body>
${patternDefinitions()}
<main>
${body}</main>
<script type="application/json" id="data">${scriptJson(data)}</script>
${script === undefined ? '' : html`<script>${constantMarkup(script)}</script>\n`}</body>
</html>
`
  return page.text
}
