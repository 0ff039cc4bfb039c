// The first file of the bundle. It has to run on old versions of Node, to say in one line that they are too old; everything
// newer is behind the import.
import process from 'node:process'

const WANTED = 24
const major = Number(process.versions.node.split('.')[0])

if (major < WANTED) {
  process.stderr.write(`error: evenkeel needs Node.js ${WANTED} or newer; this is ${process.versions.node}\n`)
  process.exit(2)
} else {
  // Not there when this file is compiled by itself: it is built beside it.
  const main = './evenkeel-main.js'
  void import(main)
}
