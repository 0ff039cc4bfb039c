import { dirname } from 'node:path'
import type { Law } from './laws.ts'

const HEAD = `# Laws

A law is a rule that always holds. The module that keeps a law states it in a doc comment, as \`Law: …\`. Each test that shows
it begins its title with \`law: …\`; what stands behind the semicolon is the case that the test shows. A name in braces stands for
what each row of the test's table fills in.

This page is made from both by \`npm run docs\`. A test fails if the page is out of date, if a law has no test, or
if a test names a law that no module states.

Rules that are not in this form yet are in [invariants.md](invariants.md).
`

/** Laws by the folder of their module. Each is a heading of its own, so that other pages can link to it. */
export function lawsPage(laws: readonly Law[]): string {
  const folders = [...new Set(laws.map(folderOf))]
  const sections = folders.map((folder) => {
    const here = laws.filter((law) => folderOf(law) === folder)
    return `\n## \`${folder}\`\n${here.map(lawText).join('')}`
  })
  return HEAD + sections.join('')
}

const folderOf = ({ modules: [path = ''] }: Law): string => dirname(path)

function lawText({ law, modules, tests }: Law): string {
  const shown = tests.map(({ file, shows }) => `- \`${file}\`${shows === undefined ? '' : `: ${shows}`}\n`)
  const keeper = modules.map((path) => `\`${path}\``).join(', ')
  return `\n### ${law.slice(0, 1).toUpperCase()}${law.slice(1)}\n\nKept by ${keeper}. Shown by:\n\n${shown.join('')}`
}
