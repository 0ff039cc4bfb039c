import type { YAMLParseError } from 'yaml'
import type { FileFinding } from '../model/file-finding.ts'

const KNOWN: Readonly<Record<string, Pick<FileFinding, 'text' | 'fix'> & { readonly code?: string }>> = {
  MULTIPLE_DOCS: {
    code: 'config.many-documents',
    text: 'more than one document in the file',
    fix: 'keep one Roll per file; remove what follows "---"',
  },
  NON_STRING_KEY: { text: 'a field name is not text', fix: 'write the name as text, in quotes where needed' },
  TAB_AS_INDENT: { text: 'a tab is where YAML allows only spaces', fix: 'indent with spaces' },
  RESOURCE_EXHAUSTION: { text: 'values are nested too deep', fix: 'nest less' },
  BAD_ALIAS: { text: 'aliases are not supported', fix: 'write the value out again' },
}

/** The YAML parser's complaint, in our words where we have some. */
export function syntaxFinding(error: YAMLParseError): FileFinding {
  const known = KNOWN[error.code]
  const span = [error.pos[0], Math.max(error.pos[1], error.pos[0] + 1)] as const
  if (known !== undefined) return { code: 'config.yaml', ...known, span }
  const fix = 'check brackets, quotes and indentation here and in the lines above'
  return { code: 'config.yaml', text: 'not valid YAML', hint: error.message, span, fix }
}
