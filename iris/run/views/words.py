"""Placeholder until the real file lands."""
from __future__ import annotations
import re
W=re.compile(r"[^\W_]+")
def word_list(text): return W.findall(text.lower())
def word_spans(text): return [(m[0].lower(),m.start(),m.end()) for m in W.finditer(text)]
def stem(w):
    return w[:-1] if w.endswith("s") and len(w)>3 else w
class TermTable:
    def __init__(self, drop): self.drop=drop
    def terms(self,text): return frozenset(stem(w) for w in word_list(text) if len(w)>=3 and w not in self.drop and not w.isdigit())
    def term_spans(self,text): return [(stem(w),s,e) for w,s,e in word_spans(text) if len(w)>=3 and w not in self.drop]
