/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names as programmers wrote them, of those that compilers made: C++ and Rust.
 */
#ifndef PROFIL_DEMANGLE_H
#define PROFIL_DEMANGLE_H

/**
 * demangle - the name that a symbol stands for
 * @symbol: as in a file
 *
 * Return: it, to free(); NULL if it is a name already, or there is no memory.
 */
char *demangle(const char *symbol);

#endif /* PROFIL_DEMANGLE_H */
