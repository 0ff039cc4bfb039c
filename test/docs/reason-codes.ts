import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

const root = new URL('../..', import.meta.url).pathname

/** Every code that the TypeScript files of a folder give a reason or a finding, ordered. */
export function reasonCodes(folder: string): readonly string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ['src/**/io/**'] })
  return [...new Set(files.flatMap((file) => codesIn(readFileSync(`${root}${file}`, 'utf8'))))].toSorted()
}

/** What stands behind `code:`, and what is handed to a function of the same file as its parameter `code`. */
export function codesIn(text: string): readonly string[] {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest)
  const takers = new Map<string, number>()
  walk(source, (node) => {
    const name = ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node) ? node.name : undefined
    const taker = ts.isVariableDeclaration(node) ? node.initializer : node
    if (name === undefined || !ts.isIdentifier(name) || taker === undefined) return
    if (!ts.isArrowFunction(taker) && !ts.isFunctionDeclaration(taker)) return
    const at = taker.parameters.findIndex((parameter) => isCode(parameter.name))
    if (at >= 0) takers.set(name.text, at)
  })
  const codes: string[] = []
  walk(source, (node) => {
    if (ts.isPropertyAssignment(node) && isCode(node.name)) codes.push(...literals(node.initializer))
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return
    const handed = node.arguments[takers.get(node.expression.text) ?? -1]
    if (handed !== undefined) codes.push(...literals(handed))
  })
  return codes
}

const isCode = (name: ts.Node): boolean => ts.isIdentifier(name) && name.text === 'code'

/** `'A'`, or `condition ? 'A' : 'B'`. */
function literals(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteral(node)) return [node.text]
  return ts.isConditionalExpression(node) ? [...literals(node.whenTrue), ...literals(node.whenFalse)] : []
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}
